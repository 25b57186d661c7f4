// Cookies are HTTP headers in every dialect. A field of a request for the Cookie header is filled from it, and the
// header has precedence over what the message said; a field of an answer for the Set-Cookie header becomes one, and
// leaves the message, so that no script and no log of messages sees it.

import { type DescField, type DescMessage, getOption, type Message } from "@bufbuild/protobuf";
import { reflect } from "@bufbuild/protobuf/reflect";
import type { Interceptor } from "@connectrpc/connect";
import { header } from "../../../../gen/policyguard/options/v1/options_pb.ts";

/** Binds the cookies of calls with one request and one answer. */
export function createCookieInterceptor(): Interceptor {
  return (next) => async (req) => {
    if (req.stream) return next(req);
    const value = req.header.get("Cookie");
    if (value !== null) {
      for (const field of cookieFields(req.method.input, "Cookie"))
        reflect(req.method.input, req.message).set(field, value);
    }
    const answer = await next(req);
    if (!answer.stream) moveCookies(req.method.output, answer.message, answer.header);
    return answer;
  };
}

function moveCookies(desc: DescMessage, message: Message, headers: Headers): void {
  for (const field of cookieFields(desc, "Set-Cookie")) {
    const fields = reflect(desc, message);
    const value = fields.get(field);
    if (typeof value === "string" && value !== "") headers.append("Set-Cookie", value);
    fields.clear(field);
  }
}

const known = new WeakMap<DescMessage, readonly DescField[]>();

/** The fields of a message that the cookie header of its direction carries. */
function cookieFields(desc: DescMessage, name: "Cookie" | "Set-Cookie"): readonly DescField[] {
  const cached = known.get(desc);
  if (cached !== undefined) return cached;
  const fields = desc.fields.filter((field) => getOption(field, header) === name);
  known.set(desc, fields);
  return fields;
}

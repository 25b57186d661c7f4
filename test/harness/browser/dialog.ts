// What every dialog of the console has to do, whatever it is about: it takes the focus, says that it is at work, shows
// what was refused at the fields, keeps what was typed when the server refuses or is gone, and gives the focus back.

import { create, type DescMethod, fromBinary, toBinary } from "@bufbuild/protobuf";
import { isReflectMessage, type ReflectMessage, reflect } from "@bufbuild/protobuf/reflect";
import type { Locator, Page, Route } from "playwright-core";
import { ErrorDetailSchema, Reason } from "../../../gen/policyguard/common/v1/reason_pb.ts";
import { controlServices } from "../../../src/control-services.ts";
import { eventually } from "../eventually.ts";

const methods: ReadonlyMap<string, DescMethod> = new Map(
  controlServices.flatMap(({ name, methods: own }) => own.map((method) => [`${name}/${method.name}`, method] as const)),
);
const rpc = "/policyguard.control.v1.";
/** Calls by which a dialog or the page behind it only learns something. */
const reading = /\/(?:Get|List|Search|Validate|Diff|Compare|Preview|Explain|Estimate)/;

/** Holds whatever a page sends to change something, so that nothing ever reaches the server. */
export class HeldCalls {
  #held: Route[] = [];

  async install(page: Page): Promise<void> {
    await page.route(/\/policyguard\.control\.v1\.|\/v1\//, async (route) => {
      const { pathname } = new URL(route.request().url());
      const isReading = pathname.startsWith(rpc) ? reading.test(pathname) : false;
      if (isReading) await route.fallback();
      else this.#held.push(route);
    });
  }

  get count(): number {
    return this.#held.length;
  }

  /** The server is gone. */
  async drop(): Promise<void> {
    for (const route of this.#held.splice(0)) await route.abort("connectionrefused");
  }

  /** Refuses every field that the calls set. Returns what it said about each. */
  async refuse(): Promise<readonly string[]> {
    const said: string[] = [];
    for (const route of this.#held.splice(0)) {
      const fields = fieldsOf(route).map((field) => ({ field, message: `refused here: ${field}` }));
      said.push(...fields.map(({ message }) => message));
      const message = fields[0] === undefined ? "refused as a whole" : `${fields[0].field}: ${fields[0].message}`;
      if (fields.length === 0) said.push(message);
      const isRpc = new URL(route.request().url()).pathname.startsWith(rpc);
      await route.fulfill({ contentType: "application/json", ...(isRpc ? rpcRefusal : restRefusal)(message, fields) });
    }
    return said;
  }
}

interface FieldFault {
  readonly field: string;
  readonly message: string;
}

function rpcRefusal(message: string, fields: readonly FieldFault[]) {
  const extra = { fields: fields.map((fault) => ({ ...fault })) };
  const detail = create(ErrorDetailSchema, { reason: Reason.VALIDATION_FAILED, error: "validation_failed", extra });
  const value = Buffer.from(toBinary(ErrorDetailSchema, detail)).toString("base64").replace(/=+$/, "");
  const details = [{ type: ErrorDetailSchema.typeName, value }];
  return { status: 400, body: JSON.stringify({ code: "invalid_argument", message, details }) };
}

/** The same as a file's call is told it, which goes by REST. */
function restRefusal(message: string, fields: readonly FieldFault[]) {
  return { status: 422, body: JSON.stringify({ detail: { error: "validation_failed", message, fields } }) };
}

/** The fields that a call sets, down to single values, as the server names them, but for the organization. */
function fieldsOf(route: Route): readonly string[] {
  const { pathname } = new URL(route.request().url());
  const input = methods.get(pathname.slice(rpc.length))?.input;
  const body = route.request().postDataBuffer();
  if (input === undefined || body === null) return [];
  return pathsOf(reflect(input, fromBinary(input, body))).filter((path) => path !== "org_id");
}

/** The paths of what a message sets, such as "gates[0].candidate.alpha". */
function pathsOf(message: ReflectMessage): readonly string[] {
  return message.fields
    .filter((field) => message.isSet(field))
    .flatMap((field) => {
      const path = field.name;
      if (field.fieldKind === "message") return within(path, message.get(field));
      if (field.fieldKind !== "list") return [path];
      const items = [...message.get(field)];
      return items.flatMap((item, at) =>
        field.listKind === "message" ? within(`${path}[${at}]`, item) : `${path}[${at}]`,
      );
    });
}

/** A message that sets nothing is refused itself; so are times and JSON, whose parts no form shows. */
function within(path: string, message: unknown): readonly string[] {
  if (!isReflectMessage(message) || message.desc.typeName.startsWith("google.protobuf.")) return [path];
  const inner = pathsOf(message);
  return inner.length === 0 ? [path] : inner.map((each) => `${path}.${each}`);
}

/** A value for each kind of field. */
const samples: Readonly<Record<string, string>> = {
  email: "somebody@example.com",
  url: "https://example.com/hook",
  number: "1",
  password: "a long enough password 1!",
  date: "2030-01-01",
  time: "10:00",
  "datetime-local": "2030-01-01T10:00",
};

/** Fills in every empty text of a dialog, and agrees where that is asked for. Returns the labels of the texts. */
async function fillIn(dialog: Locator): Promise<readonly string[]> {
  for (const box of await dialog.locator("input[type=checkbox]:required").all()) await box.check();
  const fields = dialog.locator("input:not([type=checkbox], [type=radio], [type=file], [type=hidden]), textarea");
  const filled: string[] = [];
  for (let at = 0; at < (await fields.count()); at += 1) {
    const field = fields.nth(at);
    if (!(await field.isEditable()) || (await field.inputValue()) !== "") continue;
    const { type, label, isNamed } = await field.evaluate((input: HTMLInputElement) => ({
      type: input.inputMode === "decimal" ? "number" : input.type,
      label: input.labels?.[0]?.textContent ?? "",
      isNamed: input.name === "typed",
    }));
    const typed = /^Type (.+) to go on$/.exec(label)?.[1];
    await field.fill(isNamed && typed !== undefined ? typed : (samples[type] ?? "some_text"));
    if (!isNamed) filled.push(label);
  }
  return filled;
}

/** What the fields of a dialog hold. */
function valuesOf(dialog: Locator): Promise<readonly string[]> {
  return dialog
    .locator("input:not([type=file]), textarea, select")
    .evaluateAll((fields) => fields.map((field) => ("value" in field ? String(field.value) : "")));
}

/** Puts the dialog that is open through all of its states, and closes it. Returns what is wrong. */
export async function examineDialog(page: Page, calls: HeldCalls, opener: Locator): Promise<readonly string[]> {
  const dialog = page.getByRole("dialog");
  const flaws: string[] = [];
  const note = (isWrong: boolean, flaw: string) => void (isWrong && flaws.push(flaw));
  const isInside = await dialog.evaluate((element) => element.contains(document.activeElement));
  note(!isInside, "does not take the focus");
  const submit = dialog.locator("button[type=submit]");
  if ((await submit.count()) === 1) {
    await page.waitForLoadState("networkidle");
    flaws.push(...(await sendTwice(calls, dialog, await fillIn(dialog))));
  }
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  return [...flaws, ...(await withoutFocus(opener))];
}

/** Puts a dialog that shows a secret once through its states, and closes it. Returns what is wrong. */
export async function examineShownOnce(page: Page, opener: Locator): Promise<readonly string[]> {
  const dialog = page.getByRole("dialog");
  const flaws: string[] = [];
  const isInside = await dialog.evaluate((element) => element.contains(document.activeElement));
  if (!isInside) flaws.push("does not take the focus");
  const secret = (await dialog.locator("pre").innerText()).trim();
  if (secret === "") flaws.push("shows nothing");
  await page.keyboard.press("Escape");
  await page.keyboard.press("Escape");
  if (!(await dialog.isVisible())) return [...flaws, "is closed by a key before anybody said that it is stored"];
  await dialog.getByRole("button", { name: "I have stored it", exact: true }).click();
  await dialog.waitFor({ state: "detached" });
  if ((await page.content()).includes(secret)) flaws.push("leaves its secret on the page");
  return [...flaws, ...(await withoutFocus(opener))];
}

/** What is wrong when the focus is elsewhere than on what opened the dialog. */
async function withoutFocus(opener: Locator): Promise<readonly string[]> {
  const focused = await opener.evaluate((element) => {
    const { activeElement } = document;
    if (activeElement === element) return undefined;
    if (activeElement === null || activeElement === document.body) return "";
    return (activeElement.getAttribute("aria-label") ?? activeElement.textContent).trim();
  });
  return focused === undefined ? [] : [`gives the focus to "${focused.slice(0, 40)}" instead of what opened it`];
}

/** The fields of these labels that are not shown as refused. */
async function withoutFault(dialog: Locator, labels: readonly string[]): Promise<readonly string[]> {
  const refused = await dialog
    .locator("[aria-invalid=true]")
    .evaluateAll((fields) => fields.map((field) => ("labels" in field ? Object(field.labels)[0]?.textContent : "")));
  return labels.filter((label) => !refused.includes(label));
}

/** Sends a dialog's form, which is refused, and sends it again when the server is gone. */
async function sendTwice(calls: HeldCalls, dialog: Locator, filled: readonly string[]): Promise<readonly string[]> {
  const flaws: string[] = [];
  const submit = dialog.locator("button[type=submit]");
  const typed = await valuesOf(dialog);
  const alert = dialog.getByRole("alert").first();
  const keeps = async (when: string) => {
    const kept = await valuesOf(dialog);
    if (JSON.stringify(kept) !== JSON.stringify(typed)) flaws.push(`${when}, it holds ${kept} instead of ${typed}`);
    await eventually(async () => {
      if (!(await submit.isEnabled())) throw new Error(`${when}, it cannot be sent again`);
    });
  };
  await submit.click();
  const isValid = await dialog.locator("form").evaluate((form: HTMLFormElement) => form.checkValidity());
  if (!isValid) return ["could not be filled in by the test"];
  await eventually(() => {
    if (calls.count === 0) throw new Error("it sent nothing");
  });
  if (await submit.isEnabled()) flaws.push("can be sent twice at once");
  const said = await calls.refuse();
  await alert.waitFor();
  const shown = await dialog.innerText();
  for (const each of said) if (!shown.includes(each)) flaws.push(`does not say "${each}"`);
  const silent = await withoutFault(dialog, filled);
  if (silent.length > 0) flaws.push(`shows nothing at ${silent.join(", ")} of ${said.join(", ")}`);
  await keeps("after a refusal");
  await submit.click();
  await eventually(() => {
    if (calls.count === 0) throw new Error("it sent nothing the second time");
  });
  await calls.drop();
  await alert
    .getByText(/does not answer/)
    .first()
    .waitFor();
  await keeps("when the server is gone");
  return flaws;
}

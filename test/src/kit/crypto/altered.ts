// Real services with one method's options changed, for the cases that no served method shows today.

import { clearExtension, clone, create, createFileRegistry, type DescService, setExtension } from "@bufbuild/protobuf";
import { FileDescriptorProtoSchema, type MethodDescriptorProto, type MethodOptions } from "@bufbuild/protobuf/wkt";
import { type Access, AccessSchema, access, access_preset } from "../../../../gen/policyguard/options/v1/options_pb.ts";
import { methodFacts } from "../../../../src/kit/rpc/options.ts";

/** The service as it would be if this method were declared otherwise. */
export function withMethod<S extends DescService>(
  service: S,
  method: string,
  change: (declaration: MethodDescriptorProto) => void,
): S {
  const file = clone(FileDescriptorProtoSchema, service.file.proto);
  for (const declaration of file.service.flatMap((each) => each.method)) {
    if (declaration.name === method) change(declaration);
  }
  const dependencies = service.file.dependencies;
  const registry = createFileRegistry(file, (name) => dependencies.find((each) => each.proto.name === name));
  return registry.getService(service.typeName) as S; // the same service, but for its options
}

/** The service as it would be if this method had other options. */
export function withOptions<S extends DescService>(
  service: S,
  method: string,
  change: (options: MethodOptions) => void,
): S {
  return withMethod(service, method, ({ options }) => {
    if (options !== undefined) change(options);
  });
}

/** The service as it would be if this method's (access) differed. */
export function withAccess<S extends DescService>(service: S, method: string, change: Partial<Access>): S {
  const now = service.methods.find(({ name }) => name === method);
  if (now === undefined) throw new Error(`${service.typeName} has no method ${method}`);
  return withOptions(service, method, (options) => {
    clearExtension(options, access_preset);
    setExtension(options, access, create(AccessSchema, { ...methodFacts(now).access, ...change }));
  });
}

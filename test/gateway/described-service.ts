// Services that no .proto describes: with the options of methods and fields that a test is about.

import {
  create,
  createFileRegistry,
  type DescExtension,
  type DescFile,
  type DescService,
  type Extendee,
  type ExtensionValueShape,
  setExtension,
} from "@bufbuild/protobuf";
import {
  FieldDescriptorProto_Label,
  FieldDescriptorProto_Type,
  type FieldOptions,
  FieldOptionsSchema,
  FileDescriptorProtoSchema,
  type MethodOptions,
  MethodOptionsSchema,
  type ServiceOptions,
  ServiceOptionsSchema,
} from "@bufbuild/protobuf/wkt";
import { file_google_api_httpbody } from "../../gen/google/api/httpbody_pb.ts";
import { Task, task } from "../../gen/policyguard/options/v1/options_pb.ts";

/** A method of the service. */
export interface DescribedMethod {
  readonly name: string;
  /** Names of messages of the service, or full names. */
  readonly input: string;
  readonly output: string;
  readonly clientStreaming?: boolean;
  readonly serverStreaming?: boolean;
  readonly options: MethodOptions;
}

/** A field of a message: text, or a message of that full name. */
export interface DescribedField {
  readonly name: string;
  readonly typeName?: string;
  readonly options?: FieldOptions;
}

/** Options of a method, each with its value. */
export function methodOptions(...values: readonly ((options: MethodOptions) => void)[]): MethodOptions {
  const options = create(MethodOptionsSchema);
  for (const set of values) set(options);
  return options;
}

/** Options of a field, each with its value. */
export function fieldOptions(...values: readonly ((options: FieldOptions) => void)[]): FieldOptions {
  const options = create(FieldOptionsSchema);
  for (const set of values) set(options);
  return options;
}

/** Sets one option. */
export function option<E extends DescExtension>(
  extension: E,
  value: ExtensionValueShape<E>,
): (options: Extendee<E>) => void {
  return (options) => setExtension(options, extension, value);
}

/** The service `policyguard.test.v1.TestService` with these messages and methods. */
export function describeService(
  messages: Readonly<Record<string, readonly DescribedField[]>>,
  methods: readonly DescribedMethod[],
): DescService {
  const proto = create(FileDescriptorProtoSchema, {
    name: "policyguard/test/v1/test_service.proto",
    package: packageName,
    syntax: "proto3",
    dependency: [file_google_api_httpbody.proto.name],
    messageType: Object.entries(messages).map(([name, fields]) => ({
      name,
      field: fields.map((field, index) => ({
        name: field.name,
        jsonName: field.name,
        number: index + 1,
        label: FieldDescriptorProto_Label.OPTIONAL,
        type: field.typeName === undefined ? FieldDescriptorProto_Type.STRING : FieldDescriptorProto_Type.MESSAGE,
        typeName: field.typeName === undefined ? undefined : `.${field.typeName}`,
        options: field.options,
      })),
    })),
    service: [
      {
        name: "TestService",
        options: serviceOptions(),
        method: methods.map(({ input, output, ...method }) => ({
          ...method,
          inputType: fullName(input),
          outputType: fullName(output),
        })),
      },
    ],
  });
  const resolve = (name: string): DescFile | undefined =>
    name === file_google_api_httpbody.proto.name ? file_google_api_httpbody : undefined;
  const service = createFileRegistry(proto, resolve).getService(`${packageName}.TestService`);
  if (service === undefined) throw new Error("the service was not described");
  return service;
}

function serviceOptions(): ServiceOptions {
  const options = create(ServiceOptionsSchema);
  setExtension(options, task, Task.GUARD);
  return options;
}

const packageName = "policyguard.test.v1";

function fullName(name: string): string {
  return name.includes(".") ? `.${name}` : `.${packageName}.${name}`;
}

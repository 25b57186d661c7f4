// The floor of gRPC: grpc-js with a unary method and a stream in both directions that take the messages of an
// evaluation, read and write them by the same library, and do no work.

import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { Server, ServerCredentials, type ServerUnaryCall, type sendUnaryData } from "@grpc/grpc-js";
import {
  type EvaluateRequest,
  EvaluateRequestSchema,
  type EvaluateResponse,
  EvaluateResponseSchema,
} from "../../gen/policyguard/policy/v1/evaluation_pb.ts";
import { Outcome } from "../../gen/policyguard/policy/v1/outcome_pb.ts";
import { EvaluationService } from "../../gen/policyguard/runtime/v1/evaluation_service_pb.ts";

const { evaluateInput } = EvaluationService.method;
const answer = create(EvaluateResponseSchema, { outcome: Outcome.ALLOW, evaluationId: "0".repeat(36), latencyUs: 50 });
const server = new Server();
server.addService(
  {
    evaluateInput: {
      path: `/${EvaluationService.typeName}/${evaluateInput.name}`,
      requestStream: false,
      responseStream: false,
      requestDeserialize: (bytes: Buffer) => fromBinary(EvaluateRequestSchema, bytes),
      requestSerialize: (message: EvaluateRequest) => Buffer.from(toBinary(EvaluateRequestSchema, message)),
      responseSerialize: (message: EvaluateResponse) => Buffer.from(toBinary(EvaluateResponseSchema, message)),
      responseDeserialize: (bytes: Buffer) => fromBinary(EvaluateResponseSchema, bytes),
    },
  },
  {
    evaluateInput: (_: ServerUnaryCall<EvaluateRequest, EvaluateResponse>, done: sendUnaryData<EvaluateResponse>) =>
      done(null, answer),
  },
);
server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, port) => {
  if (error !== null) throw error;
  process.send?.(port);
});

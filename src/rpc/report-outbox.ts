import type { MessageInitShape } from "@bufbuild/protobuf";
import type { ReportResponseSchema, TokenDigest } from "../../gen/policyguard/runtime/v1/reporting_service_pb.ts";

type Response = MessageInitShape<typeof ReportResponseSchema>;
type Tokens = readonly MessageInitShape<typeof import("../../gen/policyguard/runtime/v1/reporting_service_pb.ts").TokenDigestSchema>[];

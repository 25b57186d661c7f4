import { type TraceAnnotation, TraceAnnotationSchema } from "../../gen/policyguard/control/v1/trace_pb.ts";
import { wireNames } from "./wire-name.ts";

/** The names of what annotators say of a trace. */
export const annotationNames = wireNames<TraceAnnotation>(TraceAnnotationSchema);

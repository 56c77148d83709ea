// Faults as HTTP answers: RFC 9457 problem documents with the fields of FaultData (I-005). What is no
// fault becomes `internal` and says nothing of its message: that may hold a path or a prompt.

import type { Problem } from "../contract/api.ts";
import { type FaultData, fault, faultRow, isFault, toFaultData } from "../contract/fault.ts";

export const PROBLEM_TYPE = "application/problem+json";
/** The client hung up before there was an answer. Only the log ever sees this status. */
export const CLIENT_GONE_STATUS = 499;

const UNEXPECTED = "Something went wrong inside the gateway; its log has a line with this request's id.";

/** Thrown when nobody is left to answer. */
export class ClientGone extends Error {
  override readonly name = "ClientGone";
}

export function problemOf(data: FaultData): Problem {
  const problem: Problem = {
    type: `urn:quickswarm:fault:${data.code}`,
    title: titleOf(data.code),
    status: faultRow(data.code).httpStatus,
    detail: data.message,
    code: data.code,
    next: data.next,
  };
  if (data.place) problem.place = data.place;
  if (data.details) problem.details = data.details;
  return problem;
}

export function problemOfError(error: unknown): Problem {
  const data = toFaultData(error);
  return problemOf(isFault(error) ? data : { ...data, message: UNEXPECTED });
}

/** The answer to a request whose target or Host makes no URL, so that the router never sees it. */
export function malformedRequest(): Response {
  const document = problemOf(toFaultData(fault("bad_request", "The request's target and Host make no URL.")));
  return new Response(JSON.stringify(document), { status: document.status, headers: { "content-type": PROBLEM_TYPE } });
}

/** `child_limit` becomes `Child limit`. */
function titleOf(code: string): string {
  const words = code.replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

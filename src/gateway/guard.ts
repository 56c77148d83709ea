// Who may talk to the gateway at all, decided before any route is looked at: a Host and an Origin that
// the operator knows, and no request that a browser sends on behalf of another site. A page in a
// browser can reach a loopback port by DNS rebinding; the Host check is what stops it.

import { fault } from "../contract/fault.ts";

export interface AddressRules {
  /** Lower-case Host values: `name:port`, or a bare name that the operator allows on any port. */
  hosts: ReadonlySet<string>;
  /** Whole origins, for example `http://127.0.0.1:7976`. */
  origins: ReadonlySet<string>;
}

export interface AddressHeaders {
  host: string | undefined;
  origin: string | undefined;
  fetchSite: string | undefined;
}

const LOOPBACK_NAMES = ["127.0.0.1", "localhost", "[::1]"];
const WILDCARD_HOSTS = new Set(["0.0.0.0", "::", ""]);
const HTTP_PORT = 80;

/** The rules of a gateway that listens on `host` and `port`. */
export function addressRules(
  gateway: { host: string; allowedHosts: string[]; allowedOrigins: string[] },
  port: number,
): AddressRules {
  const names = WILDCARD_HOSTS.has(gateway.host) ? LOOPBACK_NAMES : [...LOOPBACK_NAMES, urlHost(gateway.host)];
  const own = names.map((name) => (port === HTTP_PORT ? name : `${name}:${port}`).toLowerCase());
  const hosts = new Set([...own, ...gateway.allowedHosts.map((host) => host.toLowerCase())]);
  const origins = new Set([
    ...own.map((host) => `http://${host}`),
    ...gateway.allowedOrigins.map((origin) => origin.toLowerCase().replace(/\/$/, "")),
  ]);
  return { hosts, origins };
}

/** Throws `forbidden` for a request that the rules do not know. Absent Origin and Sec-Fetch-Site are no browser's. */
export function refuseForeign(headers: AddressHeaders, rules: AddressRules): void {
  if (!hostAllowed(headers.host, rules)) throw fault("forbidden", "The request's Host is not one of this gateway's.");
  if (headers.origin !== undefined && !rules.origins.has(headers.origin.toLowerCase())) {
    throw fault("forbidden", "The request's Origin is not allowed.");
  }
  const site = headers.fetchSite;
  if (site !== undefined && site !== "same-origin" && site !== "none") {
    throw fault("forbidden", "The request was sent by a page of another site.");
  }
}

/** A host as it stands in a URL: IPv6 addresses in brackets. */
export function urlHost(host: string): string {
  return host.includes(":") && !host.startsWith("[") ? `[${host}]` : host;
}

/** Where a client on this machine reaches a gateway that listens on `host`. */
export function reachableHost(host: string): string {
  if (host === "::") return "[::1]";
  return WILDCARD_HOSTS.has(host) ? "127.0.0.1" : urlHost(host);
}

function hostAllowed(host: string | undefined, rules: AddressRules): boolean {
  if (host === undefined) return false;
  const name = host.toLowerCase();
  return rules.hosts.has(name) || rules.hosts.has(name.replace(/:\d{1,5}$/, ""));
}

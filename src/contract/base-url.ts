// Reads the base URL of a model provider: what may be one, and which origin it stands for. Keys are bound
// to that origin (B-017).

/** Longest base URL that is read. */
export const BASE_URL_CHARS_MAX = 2_000;

export const BASE_URL_EXPECTED =
  'an address with http:// or https://, without user, query or fragment, for example "https://models.example/v1"; ' +
  "no link-local or metadata address";

export interface BaseUrl {
  /** Without a slash at the end. */
  url: string;
  /** Scheme, host and port. */
  origin: string;
}

/** The parts of a base URL, or undefined when `text` is none that requests may be sent to. */
export function parseBaseUrl(text: string): BaseUrl | undefined {
  if (text.length > BASE_URL_CHARS_MAX || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  if (url.protocol !== "http:" && url.protocol !== "https:") return undefined;
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "") return undefined;
  if (isMetadataHost(url.hostname)) return undefined;
  return { url: `${url.origin}${url.pathname.replace(/\/+$/, "")}`, origin: url.origin };
}

/** Addresses where a cloud machine finds its own credentials. URL has already normalised other spellings. */
function isMetadataHost(host: string): boolean {
  const plain = host.replace(/^\[|\]$|\.$/g, "").toLowerCase();
  if (plain.startsWith("169.254.") || /^fe[89ab][0-9a-f]:/.test(plain)) return true;
  if (/^::ffff:a9fe:/.test(plain) || plain === "fd00:ec2::254") return true;
  return plain === "metadata" || plain === "metadata.google.internal" || plain === "100.100.100.200";
}

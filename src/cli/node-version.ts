// The oldest Node.js that this runs on; checked before anything else is loaded.

export const NODE_VERSION_MIN = "20.19.0";

export function nodeIsOld(version: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [leastMajor = 0, leastMinor = 0] = NODE_VERSION_MIN.split(".").map(Number);
  return major < leastMajor || (major === leastMajor && minor < leastMinor);
}

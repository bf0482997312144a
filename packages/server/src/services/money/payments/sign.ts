import { createHash } from 'node:crypto';

/**
 * The signature of the epay protocol (docs/compatibility.md#online-top-up): without `sign`, `sign_type` and empty
 * values, keys ascending, `k=v` joined by `&` without escapes, the merchant's key appended, MD5 in lower-case hex. The
 * provider requires MD5. Order, merchant and amount are checked as well.
 */
export function epaySign(fields: Readonly<Record<string, string>>, key: string): string {
  const signed = Object.keys(fields)
    .filter((name) => name !== 'sign' && name !== 'sign_type' && fields[name] !== '')
    // By code unit, which is ASCII order for these names; a locale would sort differently.
    .toSorted((a, b) => (a < b ? -1 : 1))
    .map((name) => `${name}=${fields[name]}`)
    .join('&');
  return createHash('md5')
    .update(signed + key)
    .digest('hex');
}

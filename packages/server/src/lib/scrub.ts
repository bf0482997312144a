/** Addresses with or without a scheme, and IP addresses with a port: addresses of upstreams are confidential. */
const addresses =
  /\b(?:https?|wss?|socks5h?):\/\/[^\s"'<>)]+|\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b|\[[0-9a-f:]{3,}\](?::\d+)?/gi;
/** Keys in the formats of the vendors, also partly masked, and the text after the word Bearer. */
const keys = /\b(?:sk|pk|rk|gsk|xai|key|api)[-_][\w*.-]{6,}|\bAIza[\w-]{20,}|\b(bearer)\s+[\w.~+/=-]{8,}/gi;

/** Ids of an account's organisation and project at a vendor: `org-…`, `proj_…`. */
const accounts = /\b(?:org|proj)[-_][a-z0-9]{10,}\b/gi;

/** `text` without the ids of the operator's organisations and projects at vendors. */
export const hideAccounts = (text: string): string => text.replace(accounts, '[hidden]');

/** `text` without the secrets, and without the parts of secrets that have several (`id|secret`). */
export function redact(text: string, secrets: readonly string[]): string {
  let clean = text;
  for (const secret of secrets) {
    for (const part of [secret, ...secret.split('|')]) {
      if (part.length >= 4) clean = clean.replaceAll(part, '[hidden]');
    }
  }
  return clean;
}

/** An upstream's text without addresses and keys. `secrets` are redacted wherever they occur. */
export function scrub(text: string, secrets: readonly string[] = []): string {
  return hideAccounts(redact(text, secrets))
    .replace(addresses, '[address]')
    .replace(keys, (_match, scheme: string | undefined) => (scheme ? `${scheme} [hidden]` : '[hidden]'))
    .replace(/\s+/g, ' ')
    .trim();
}

import { type Channel, holdsSecret, passesByPattern } from './types/index.ts';

/** Headers by name, as Node has those of a request. */
type Headers = Readonly<Record<string, string | string[] | undefined>>;

/**
 * The headers of a call with those of the channel's `header_override`, which go over those of its provider. Only the channel's
 * own key and harmless headers of the caller can get there. `secrets` are values that an upstream's echo must not show.
 */
export function overriddenHeaders(
  before: Readonly<Record<string, string>>,
  { key, headerOverride }: Pick<Channel, 'key' | 'headerOverride'>,
  caller: Headers,
): { headers: Record<string, string>; secrets: string[] } {
  const headers = { ...before };
  const secrets: string[] = [];
  if (!headerOverride) return { headers, secrets };
  const names = new Map(Object.keys(headers).map((name) => [name.toLowerCase(), name]));
  const put = (name: string, value: string): void => {
    // No header can carry the lines of a key that is a file.
    if (!/^[\x20-\x7e]*$/.test(value)) return;
    const known = names.get(name.toLowerCase()) ?? name;
    names.set(name.toLowerCase(), known);
    headers[known] = value;
    if (holdsSecret(name) && value !== '') secrets.push(value);
  };
  const { passes, sets } = headerOverride;
  if (passes.length > 0)
    for (const [name, value] of Object.entries(caller))
      if (typeof value === 'string' && passesByPattern(name) && passes.some((each) => each.test(name)))
        put(name, value);
  for (const { name, text, ofCaller } of sets) {
    if (ofCaller === undefined)
      put(
        name,
        text.replaceAll('{api_key}', () => key),
      );
    else {
      const value = caller[ofCaller];
      if (typeof value === 'string') put(name, value);
    }
  }
  return { headers, secrets };
}

/** Sets the channel's headers on a call that is ready to be sent. */
export function overrideHeaders(
  call: { headers: Record<string, string>; secrets: string[] },
  channel: Pick<Channel, 'key' | 'headerOverride'>,
  caller: Headers,
): void {
  const { headers, secrets } = overriddenHeaders(call.headers, channel, caller);
  call.headers = headers;
  call.secrets.push(...secrets);
}

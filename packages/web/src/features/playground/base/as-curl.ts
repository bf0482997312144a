/** A text as one word of a shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/**
 * The request of an answer as a call that any program can make: with a key, which says the group by itself.
 *
 * @param origin - the site's own address, without a trailing slash
 */
export function asCurl(origin: string, request: unknown): string {
  const { group: _group, ...body } = request as Record<string, unknown>;
  return [
    `curl ${origin}/v1/chat/completions`,
    '-H "Authorization: Bearer $API_KEY"',
    '-H "Content-Type: application/json"',
    `-d ${quoted(JSON.stringify(body, null, 2))}`,
  ].join(' \\\n  ');
}

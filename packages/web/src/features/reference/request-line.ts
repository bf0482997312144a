import type { Call } from './read-reference.ts';

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** Headers by who may call; what is the caller's own stands as a variable of the shell. */
function headersOf({ access, part }: Call): string[] {
  if (access === 'key') {
    if (part === 'anthropic') return ['"x-api-key: $KEY"', '"anthropic-version: 2023-06-01"'];
    return [part === 'gemini' ? '"x-goog-api-key: $KEY"' : '"Authorization: Bearer $KEY"'];
  }
  if (access === 'public' || access === 'try-user') return [];
  return ['"Authorization: Bearer $ACCESS_TOKEN"', '"New-Api-User: $USER_ID"'];
}

/** The example of a call as a line for the shell. */
export function requestLine(call: Call, site: string): string {
  const { method, request, values } = call;
  const rest = new Map(Object.entries(values).filter(([, value]) => value !== undefined));
  const path = call.path.replace(/\{(\w+)\}/g, (slot, name: string) => {
    const value = rest.get(name);
    rest.delete(name);
    return value === undefined ? slot : encodeURIComponent(String(value));
  });
  const query = new URLSearchParams([...rest].map(([name, value]) => [name, String(value)])).toString();
  const isForm = request?.type === 'multipart/form-data';
  const headers = [...headersOf(call), ...(request && !isForm ? ['"Content-Type: application/json"'] : [])];
  const form = Object.entries((isForm ? request.example : {}) as Record<string, string>).map(
    ([name, value]) => `-F ${name}=${quoted(name === 'file' || name === 'image' ? `@${value}` : value)}`,
  );
  return [
    `curl ${method === 'GET' || request ? '' : `-X ${method} `}"${site}${path}${query === '' ? '' : `?${query}`}"`,
    ...(request && method === 'PUT' ? ['-X PUT'] : []),
    ...headers.map((header) => `-H ${header}`),
    ...(request && !isForm ? [`-d ${quoted(JSON.stringify(request.example))}`] : []),
    ...form,
  ].join(' \\\n  ');
}

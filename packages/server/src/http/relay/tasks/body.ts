import type { Json, JsonObject } from '../../../lib/json.ts';
import { askedGroupIn, type AuthorizedRequest, readBodyOf, readJson } from '../read-call.ts';
import type { TaskRouteDeps } from './deps.ts';

/** Reads a body that must be a JSON object. Throws RelayError (400, 413) if it is not. */
export async function readTaskBody(
  deps: Pick<TaskRouteDeps, 'maxBodyBytes'>,
  authorized: AuthorizedRequest,
): Promise<JsonObject> {
  const { json } = readJson(await readBodyOf(authorized, deps.maxBodyBytes));
  return withoutGroup(authorized, json);
}

/** The body for the vendor. The `group` of a page's call is only for Tollgate, and removed here. */
export function withoutGroup(authorized: AuthorizedRequest, json: JsonObject): JsonObject {
  if (authorized.matched.route.access !== 'session') return json;
  authorized.askedGroup = askedGroupIn(authorized.matched, json);
  const { group: _, ...body } = json;
  return body;
}

/** Answers with JSON. */
export function answerJson(
  deps: Pick<TaskRouteDeps, 'identityHeaders'>,
  { client, requestId }: AuthorizedRequest,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  client.head(200, { 'content-type': 'application/json', ...deps.identityHeaders(requestId), ...headers });
  client.finish(Buffer.from(JSON.stringify(body)), {});
}

/** The texts in a list of ids; numbers are accepted too. At most as many as a page of any list. */
export const idsIn = (value: Json | undefined): string[] =>
  Array.isArray(value)
    ? value
        .filter((id) => typeof id === 'string' || typeof id === 'number')
        .slice(0, 500)
        .map(String)
    : [];

/** Long data in a body, such as images, are not stored in rows. */
const maxKept = 4_000;

/** The stored part of a body: its short texts and numbers. */
export const kept = (body: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(body).filter(([, value]) => JSON.stringify(value ?? null).length <= maxKept),
  );

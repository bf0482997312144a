import { randomBytes } from 'node:crypto';
import type { Site } from './site.ts';

export interface Person {
  username: string;
  password: string;
}

/** An unused name: a repeated test does not meet people from its earlier tries. */
export const freshName = (stem: string): string => `${stem}-${randomBytes(3).toString('hex')}`;

interface Answer {
  success: boolean;
  message: string;
  data: unknown;
}

/** Makes one call to the console's API without a browser; throws the server's message if it refuses. */
async function callSite(site: Site, path: string, body: unknown, headers = {}): Promise<Response> {
  const response = await fetch(site.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  const answer = (await response.clone().json()) as Answer;
  if (!answer.success) throw new Error(`${path}: ${answer.message}`);
  return response;
}

/** Signs a person up. */
export const signUp = (site: Site, person: Person): Promise<Response> =>
  callSite(site, '/api/user/register', person);

/** Makes a person an administrator, as the root user does. */
export async function promote(site: Site, root: Person, userId: number): Promise<void> {
  const login = await callSite(site, '/api/user/login', root);
  const cookie = login.headers
    .getSetCookie()
    .map((each) => each.split(';')[0])
    .join('; ');
  await callSite(
    site,
    '/api/user/manage',
    { id: userId, action: 'promote' },
    { cookie, 'new-api-user': '1' },
  );
}

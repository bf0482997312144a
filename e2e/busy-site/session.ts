import type { Person } from '../support/people.ts';
import type { Site } from '../support/site.ts';

interface Answer {
  success: boolean;
  message: string;
  data: unknown;
}

/** Calls one person's console API without a browser. */
export interface Session {
  id: number;
  /** Returns the data; throws the server's message if it refuses. */
  call(method: string, path: string, body?: unknown): Promise<unknown>;
}

/** Logs a person in. */
export async function logInTo(site: Site, person: Person): Promise<Session> {
  const json = { 'content-type': 'application/json' };
  const login = await fetch(`${site.url}/api/user/login`, {
    method: 'POST',
    headers: json,
    body: JSON.stringify(person),
  });
  const cookie = login.headers.get('set-cookie')?.split(';', 1)[0] ?? '';
  const { success, message, data } = (await login.json()) as Answer;
  if (!success) throw new Error(`${person.username}: ${message}`);
  const { id } = data as { id: number };
  return {
    id,
    call: async (method, path, body) => {
      const reply = await fetch(site.url + path, {
        method,
        headers: { ...json, cookie, 'new-api-user': String(id) },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const answer = (await reply.json()) as Answer;
      if (!answer.success) throw new Error(`${method} ${path}: ${answer.message}`);
      return answer.data;
    },
  };
}

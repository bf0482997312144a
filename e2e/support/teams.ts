import { administrator, type Site } from './site.ts';

interface Answer {
  success: boolean;
  message: string;
  data: unknown;
}

/** The administrator creates an organisation by the API, for journeys that start later; returns its id. */
export async function openTeam(site: Site, name: string): Promise<number> {
  const json = { 'content-type': 'application/json' };
  const login = await fetch(`${site.url}/api/user/login`, {
    method: 'POST',
    headers: json,
    body: JSON.stringify(administrator),
  });
  const cookie = login.headers.get('set-cookie')?.split(';', 1)[0] ?? '';
  const { id } = ((await login.json()) as Answer).data as { id: number };
  const reply = await fetch(`${site.url}/api/team/`, {
    method: 'POST',
    headers: { ...json, cookie, 'new-api-user': String(id) },
    body: JSON.stringify({ name }),
  });
  const answer = (await reply.json()) as Answer;
  if (!answer.success) throw new Error(answer.message);
  return (answer.data as { id: number }).id;
}

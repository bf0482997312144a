import type { Person, ReferenceWorld } from './world.ts';

/** Values that exist only at run time (codes, keys, ids of sessions), and the caller. */
export interface Prepared {
  input?: Record<string, unknown>;
  as?: Person;
}

interface Parts {
  world(): ReferenceWorld;
  /** Owner of the organisation with the id 1. */
  alice(): Person;
  bob(): Promise<Person>;
  /** An unused redemption code. */
  code(): string | undefined;
}

/** Steps before the examples about organisations. */
export function referenceTeams(parts: Parts): Record<string, () => Promise<Prepared>> {
  const must = (method: string, path: string, as: Person, body: object = {}) =>
    parts.world().must(method, path, as, body as Record<string, unknown>);
  const invite = async (id: number, invitee = ''): Promise<{ id: number; code: string }> =>
    (await must('POST', `/api/team/${id}/invitation`, parts.alice(), { invitee })) as never;
  /** Another organisation of alice’s, with bob as a member. */
  const withBob = async (): Promise<Prepared> => {
    const { id } = (await must('POST', '/api/team/', parts.alice(), { name: 'Other' })) as { id: number };
    const { code } = await invite(id);
    await must('POST', '/api/team/invitation/accept', await parts.bob(), { code });
    return { input: { id } };
  };
  const withToken = async (): Promise<Prepared> => {
    const made = await must('POST', '/api/team/1/token', parts.alice(), { name: 'build' });
    return { input: { token: (made as { id: number }).id } };
  };
  /** Bob with a personal invitation. */
  const invited = async (): Promise<Prepared> => {
    const { input } = await withBob();
    const id = Number(input?.['id']);
    await must('DELETE', `/api/team/${id}/member/3`, parts.alice());
    const invitation = await invite(id, 'bob');
    return { input: { invitation: invitation.id }, as: await parts.bob() };
  };
  return {
    'DELETE /api/team/:id': withBob,
    'POST /api/team/:id/owner': withBob,
    'POST /api/team/:id/leave': async () => ({ ...(await withBob()), as: await parts.bob() }),
    'PUT /api/team/:id/member': withBob,
    'DELETE /api/team/:id/member/:user_id': withBob,
    'POST /api/team/:id/redeem': async () => ({ input: { key: parts.code() } }),
    'POST /api/team/:id/withdraw': async () => {
      await must('POST', '/api/team/1/fund', parts.alice(), { quota: 500_000 });
      return {};
    },
    'DELETE /api/team/:id/invitation/:invitation': async () => ({
      input: { invitation: (await invite(1)).id },
    }),
    'POST /api/team/invitation/look': async () => ({
      input: { code: (await invite(1)).code },
      as: await parts.bob(),
    }),
    'POST /api/team/invitation/accept': invited,
    'POST /api/team/invitation/decline': invited,
    'GET /api/team/:id/token/:token': withToken,
    'PUT /api/team/:id/token/:token': withToken,
    'DELETE /api/team/:id/token/:token': withToken,
  };
}

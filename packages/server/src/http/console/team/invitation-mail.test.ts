import {
  type NewTeamInvitation,
  selfApi,
  type TeamData,
  teamApi,
  teamInvitationApi,
} from '@tollgate/contract';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { users } from '../../../store/index.ts';
import type { Agent } from '../../../testing/agent.ts';
import type { House } from '../../../testing/harness.ts';
import { openTeam, openTeamHouse } from '../../../testing/teams/team-house.ts';
import { type MailServer, type ReceivedMail, startMailsOf } from '../../../testing/upstream/mail-server.ts';

const address = 'ann@example.com';
const daySeconds = 86_400;

let house: House;
let server: MailServer;
let owner: Agent;
let ann: Agent;
let bob: Agent;
let team: TeamData;
beforeEach(async () => {
  house = await openTeamHouse();
  server = await startMailsOf(house);
  owner = await house.person('owner');
  ann = await house.person('ann');
  bob = await house.person('bob');
  team = await openTeam(owner, 'Research <1>');
});
afterEach(async () => {
  await house.close();
  await server.close();
});

/** All mails sent so far. */
async function mails(): Promise<readonly ReceivedMail[]> {
  await house.mails.idle();
  return server.mails;
}

const invite = async (input: object = {}): Promise<NewTeamInvitation> => {
  const wanted = { id: team.id, invitee: address, ...input };
  return (await owner.must(teamInvitationApi.create, wanted)) as NewTeamInvitation;
};

/** The code of the link in a mail; both forms of the mail must have the same code. */
function codeIn({ text, body }: ReceivedMail): string {
  const link = /https:\/\/gate\.example\/organisations\/join#([A-Za-z0-9_-]+)/;
  const code = link.exec(text)?.[1] ?? 'none in the text';
  expect(link.exec(body)?.[1]).toBe(code);
  return code;
}

/** Invites by mail and returns the code from the mail. */
async function invited(input: object = {}): Promise<{ id: number; code: string }> {
  const { id } = await invite(input);
  return { id, code: codeIn((await mails()).at(-1)!) };
}

const answer = async (agent: Agent, code: string): Promise<string> => {
  const { body } = await agent.call(teamInvitationApi.accept, { code });
  return body.success ? 'joined' : String(body.code);
};

it.each([
  ['zh', 'Gate：owner 邀请您加入组织「Research <1>」', '7 天内有效'],
  ['en', 'Gate: owner invites you to “Research <1>”', 'valid for 7 days'],
])('a mail in %s names the inviter and the team, in HTML and text', async (language, subject, lasts) => {
  owner.headers['accept-language'] = language;
  const made = await invite();
  const [mail, ...others] = await mails();
  expect(others).toEqual([]);
  expect(mail).toMatchObject({ from: 'robot@gate.example', to: [address], headers: { subject } });
  expect(mail!.text).toContain('Research <1>');
  expect(mail!.text).toContain(lasts);
  expect(mail!.body).toContain('Research &#60;1&#62;');
  expect(mail!.body).not.toContain('<1>');
  expect(codeIn(mail!)).toBe(made.code);
});

it('is in the language of the recipient’s account, whatever the inviter’s', async () => {
  await users.update(house.core.store.db, ann.userId, { email: address });
  await ann.must(selfApi.language, { language: 'en' });
  owner.headers['accept-language'] = 'zh';
  await invite();
  expect((await mails()).at(-1)!.headers.subject).toBe('Gate: owner invites you to “Research <1>”');
});

it('its link admits one user, once', async () => {
  const { code } = await invited();
  expect(await ann.must(teamInvitationApi.look, { code })).toMatchObject({ team_name: 'Research <1>' });
  expect(await answer(ann, code)).toBe('joined');
  expect(await ann.must(teamApi.get, { id: team.id })).toMatchObject({ role: 1 });
  expect(await answer(bob, code)).toBe('invitation_not_found');
  expect((await bob.call(teamInvitationApi.look, { code })).body.code).toBe('invitation_not_found');
});

it('its link is invalid once it has expired, was withdrawn or declined, or the team was deleted', async () => {
  const withdrawn = await invited();
  await owner.must(teamInvitationApi.withdraw, { id: team.id, invitation: withdrawn.id });
  expect(await answer(ann, withdrawn.code)).toBe('invitation_not_found');

  const declined = await invited();
  await ann.must(teamInvitationApi.decline, { code: declined.code });
  expect(await answer(ann, declined.code)).toBe('invitation_not_found');

  const expired = await invited({ days: 1 });
  house.time.ms += daySeconds * 1_000;
  expect(await answer(ann, expired.code)).toBe('invitation_not_found');

  const orphaned = await invited();
  await owner.must(teamApi.remove, { id: team.id });
  expect(await answer(ann, orphaned.code)).toBe('invitation_not_found');
});

it('a link with an unknown code, none, or that of another site is answered like a used one', async () => {
  const { code } = await invited();
  for (const strange of ['', 'x', code.slice(1), `${code}x`, code.toLowerCase(), '%00', "' OR 1=1 --"])
    expect(await answer(ann, strange), strange).toBe('invitation_not_found');
  expect(await answer(ann, code)).toBe('joined');
});

it('no other team can withdraw it, and it is in no other list', async () => {
  const { id, code } = await invited();
  const other = await openTeam(bob);
  const reply = await bob.call(teamInvitationApi.withdraw, { id: other.id, invitation: id });
  expect(reply.body.code).toBe('invitation_not_found');
  expect(await bob.must(teamInvitationApi.ownList, {})).toEqual([]);
  expect(await bob.call(teamInvitationApi.accept, { invitation: id })).toMatchObject({
    body: { code: 'invitation_not_found' },
  });
  expect(await answer(ann, code)).toBe('joined');
});

it('is sent to addresses alone, and only where the site has an address for its link', async () => {
  await invite({ invitee: 'ann' });
  await invite({ invitee: '' });
  expect(await mails()).toHaveLength(0);
  await house.core.settings.setMany({ ServerAddress: '' });
  await invite();
  expect(await mails()).toHaveLength(0);
});

it('is rate limited: after twenty in an hour the link is returned and no mail is sent', async () => {
  for (let n = 0; n < 21; n += 1) expect((await invite({ invitee: `p${n}@example.com` })).code).not.toBe('');
  expect(await mails()).toHaveLength(20);
  house.time.ms += 3_600_000;
  await invite();
  expect(await mails()).toHaveLength(21);
});

it('a mail server that refuses does not prevent inviting', async () => {
  server.refuse(550);
  expect(await answer(ann, (await invite()).code)).toBe('joined');
});

import { QueryClient } from '@tanstack/react-query';
import { createMemoryHistory } from '@tanstack/react-router';
import { role, statusApi, type SignedIn } from '@tollgate/contract';
import { expect, test, vi } from 'vitest';
import { mayAccess } from '../lib/session.ts';
import { stored } from '../lib/storage.ts';
import { FakeServer } from '../testing/fake-server.ts';
import { people, statusSample } from '../testing/samples.ts';
import { otherAddresses } from './pages.ts';
import { buildRouter } from './router/router.tsx';

const status = statusSample({ setup: true, enable_drawing: true, enable_task: true });
const roles = { guest: null, user: people.user, admin: people.admin, root: people.root };

/** Page of an address, its navigation entry, and whether the user may see it. */
async function openAs(person: SignedIn | null, path: string) {
  vi.stubGlobal('fetch', new FakeServer().answer(statusApi.status, status).fetch);
  stored.user.set(person ?? undefined);
  const router = buildRouter(new QueryClient());
  router.update({ ...router.options, history: createMemoryHistory({ initialEntries: [path] }) });
  await router.load();
  const page = router.state.matches.at(-1)?.staticData.page;
  const isOpen = page !== undefined && (person === null || mayAccess(person, page.access));
  return { to: router.state.location.href, place: page?.place, isOpen };
}

/** Every address of the specification: its page, its required role, and the marked navigation entry. */
const specified: readonly [path: string, to: string, access: keyof typeof mayOpen, place?: string][] = [
  ['/', '/', 'public'],
  ['/channel', '/channel', 'admin', 'channels'],
  ['/channel/edit/7', '/channel?edit=7', 'admin', 'channels'],
  ['/channel/add', '/channel?edit=new', 'admin', 'channels'],
  ['/token', '/token', 'user', 'keys'],
  ['/playground', '/playground', 'user', 'playground'],
  ['/redemption', '/redemption', 'admin', 'customers'],
  ['/user', '/user', 'admin', 'customers'],
  ['/user/edit/7', '/user?edit=7', 'admin', 'customers'],
  ['/user/edit', '/personal', 'user'],
  ['/user/reset', '/user/reset', 'public'],
  ['/login', '/login', 'public'],
  ['/register', '/register', 'public'],
  ['/reset', '/reset', 'public'],
  ['/oauth/github', '/oauth/github', 'public'],
  ['/oauth/oidc', '/oauth/oidc', 'public'],
  ['/oauth/linuxdo', '/oauth/linuxdo', 'public'],
  ['/setting', '/setting', 'root', 'settings'],
  ['/personal', '/personal', 'user'],
  ['/topup', '/topup', 'user', 'wallet'],
  ['/log', '/log', 'user', 'activity'],
  ['/detail', '/detail', 'user', 'home'],
  ['/midjourney', '/midjourney', 'user', 'activity'],
  ['/task', '/task', 'user', 'activity'],
  ['/pricing', '/pricing', 'public', 'models'],
  ['/about', '/about', 'public'],
  ['/chat', '/chat', 'user'],
  ['/chat/3', '/chat/3', 'user'],
  ['/chat2link', '/chat2link', 'user'],
];

/** Minimum role for the page; others see a refusal. */
const mayOpen = { public: 0, user: role.common, admin: role.admin, root: role.root };

test.each(Object.entries(roles))(
  'each address of the specification opens its place: %s',
  async (_, person) => {
    const opened: unknown[] = [];
    for (const [path] of specified) opened.push({ path, ...(await openAs(person, path)) });
    expect(opened).toEqual(
      specified.map(([path, to, access, place]) =>
        person === null && access !== 'public'
          ? { path, to: `/login?next=${encodeURIComponent(to)}`, place: undefined, isOpen: true }
          : { path, to, place, isOpen: (person?.role ?? 0) >= mayOpen[access] },
      ),
    );
  },
);

test('every other address leads to a page of the list, with what is open in it', async () => {
  for (const { path, to } of otherAddresses) {
    const opened = await openAs(people.root, path.replace('$id', '7'));
    expect(opened.to.split('?')[0], path).toBe(to);
    expect(opened.isOpen, path).toBe(true);
  }
});

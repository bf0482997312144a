import { logApi, marginApi, selfApi, teamRecordApi, tokenApi, walletApi } from '@tollgate/contract';
import { expect, test } from 'vitest';
import { FakeServer } from '../testing/fake-server.ts';
import { renderPage } from '../testing/render-page.tsx';
import { pageWith, people } from '../testing/samples.ts';
import { teamSite } from '../testing/team-site.ts';

const figures = (): (string | null)[] =>
  [...document.querySelectorAll('main dl dd')].map(({ textContent }) => textContent);

const site = () => new FakeServer();
const pages: Record<string, { server: () => FakeServer; count: number; as?: (typeof people)['user'] }> = {
  '/topup': { server: () => site().fail(selfApi.get).answer(walletApi.orders, pageWith()), count: 3 },
  '/token': { server: () => site().fail(selfApi.get).answer(tokenApi.list, []), count: 3 },
  '/log': {
    server: () =>
      site()
        .fail(logApi.ownStat)
        .answer(logApi.ownList, { ...pageWith(), exact: true }),
    count: 3,
  },
  '/margin': {
    server: () => site().fail(marginApi.sums).answer(marginApi.belowCost, []),
    count: 4,
    as: people.root,
  },
  '/organisations/4?tab=usage': { server: () => teamSite().fail(teamRecordApi.logStat), count: 3 },
};

// A figure that stays grey looks as if it were still loading.
test.each(Object.entries(pages))('figures of %s that fail to load show a dash', async (path, page) => {
  renderPage(path, { server: page.server(), as: page.as ?? people.user });
  await expect.poll(figures).toEqual(Array.from({ length: page.count }, () => '–'));
});

import { role } from '@tollgate/contract';
import { expect, test } from 'vitest';
import type { Text } from '../lib/i18n.ts';
import { people, statusSample } from '../testing/samples.ts';
import { pages } from './pages.ts';
import { listedPlaces, places, placeTabs } from './places.ts';

const status = statusSample({ enable_drawing: true, enable_task: true });
const english = ({ en }: Text) => (typeof en === 'string' ? en : en.other);
const menuOf = (person: keyof typeof people) =>
  listedPlaces(people[person], status).map(({ id, title }) => {
    const tabs = placeTabs(id, people[person], status).map((tab) => english(tab.title));
    return tabs.length > 1 ? `${english(title)}: ${tabs.join(', ')}` : english(title);
  });

test('each entry of the sidebar has an icon of its own: it is all that the narrow sidebar shows', () => {
  expect(new Set(places.map(({ icon }) => icon)).size).toBe(places.length);
});

test('the super admin has eight places and the settings', () => {
  expect(menuOf('root')).toEqual([
    'Home',
    'Playground',
    'Keys',
    'Activity: Calls, Pictures and tasks, Audit',
    'Models and prices: Catalogue, Prices, Vendor lists, Rehearse and correct',
    'Channels: Channels, Health',
    'Customers: Users, Organisations, Codes',
    'Money: Margins, Reconciliation, Top-ups, Plans',
    'Settings',
  ]);
});

test('an administrator has what is not for the super admin only', () => {
  expect(menuOf('admin')).toEqual([
    'Home',
    'Playground',
    'Keys',
    'Activity: Calls, Pictures and tasks',
    'Models and prices: Catalogue, Prices',
    'Channels: Channels, Health',
    'Customers: Users, Organisations, Codes',
    'Money',
  ]);
});

test('a user has six places', () => {
  expect(menuOf('user')).toEqual([
    'Home',
    'Playground',
    'Keys',
    'Activity: Calls, Pictures and tasks',
    'Models',
    'Wallet',
  ]);
});

test('the site decides on pages: without drawings and tasks, the activity is the calls', () => {
  expect(placeTabs('activity', people.user, statusSample()).map(({ path }) => path)).toEqual(['/log']);
});

test('every page beside the sidebar is reached from it, from the menu of the account or by its own parts', () => {
  const reached = pages.filter(
    ({ place, account, frame, path, when }) =>
      frame !== 'console' || place !== undefined || account || path.includes('$') || when !== undefined,
  );
  expect(pages.filter((page) => !reached.includes(page))).toEqual([]);
  expect(people.root.role).toBe(role.root);
});

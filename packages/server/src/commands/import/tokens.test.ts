import { expect, it } from 'vitest';
import { groupHere } from './tokens.ts';

const special = 'group_ratio_setting.group_special_usable_group';

it.each<[string, string, Record<string, string>, string]>([
  ['another group', 'vip', { AutoGroups: '["default"]' }, 'vip'],
  ['no saved options', 'auto', {}, 'default'],
  ['one group', 'auto', { AutoGroups: '["dear"]', UserUsableGroups: '{"dear":""}' }, 'dear'],
  [
    'one that the owner may use',
    'auto',
    { AutoGroups: '["x","dear"]', UserUsableGroups: '{"dear":""}' },
    'dear',
  ],
  ['the owner’s own', 'auto', { AutoGroups: '["own"]', UserUsableGroups: '{}' }, 'own'],
  ['several', 'auto', { AutoGroups: '["default","vip"]' }, 'auto'],
  ['none', 'auto', { AutoGroups: '["x"]' }, 'auto'],
  ['groups of its owner’s group alone', 'auto', { [special]: '{"own":{"-:default":""}}' }, 'auto'],
  ['a list that cannot be read', 'auto', { AutoGroups: '[' }, 'default'],
])('a key with %s has the group that its calls had, if that is one', (_, group, options, here) => {
  expect(groupHere({ group }, 'own', new Map(Object.entries(options)))).toBe(here);
});

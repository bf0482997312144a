import { defaultGroupWords, type Language, ownGroupWords, type Words } from '@tollgate/contract';
import type { Settings } from '../../site/settings/index.ts';

const defaultWords: Readonly<Record<string, Words>> = defaultGroupWords;

/** A description in the reader's language where it is still the one of a new site; an operator's own text is as it is. */
function wordsOf(name: string, desc: string, language: Language): string {
  const words = Object.hasOwn(defaultWords, name) ? defaultWords[name] : undefined;
  return words?.zh === desc ? words[language] : desc;
}

const special = 'group_ratio_setting.group_special_usable_group';

/** The groups on offer for users of a group: `-:name` takes one away, `+:name` and `name` add one. */
function offeredTo(settings: Settings, userGroup: string): Record<string, string> {
  const offered = { ...settings.get('UserUsableGroups') };
  const own = settings.get(special);
  if (!Object.hasOwn(own, userGroup)) return offered;
  for (const [entry, desc] of Object.entries(own[userGroup] ?? {})) {
    if (entry.startsWith('-:')) delete offered[entry.slice(2)];
    else offered[entry.replace(/^\+:/, '')] = desc;
  }
  return offered;
}

/**
 * Groups a user of `userGroup` may use, with their descriptions: those on offer, and the user's own
 * (docs/compatibility.md#channel-selection).
 */
export function usableGroups(
  settings: Settings,
  userGroup: string,
  language: Language = 'zh',
): Record<string, string> {
  const shown = offeredTo(settings, userGroup);
  for (const [name, desc] of Object.entries(shown)) shown[name] = wordsOf(name, desc, language);
  return Object.hasOwn(shown, userGroup) ? shown : { ...shown, [userGroup]: ownGroupWords[language] };
}

/**
 * The ratio of a group; undefined for a group that has none. What GroupGroupRatio says for users of `userGroup` comes
 * before the group's own ratio.
 */
export function groupRatio(
  settings: Pick<Settings, 'get'>,
  group: string,
  userGroup = group,
): number | undefined {
  const between = settings.get('GroupGroupRatio');
  const own = Object.hasOwn(between, userGroup) ? between[userGroup] : undefined;
  if (own && Object.hasOwn(own, group)) return own[group];
  const ratios = settings.get('GroupRatio');
  return Object.hasOwn(ratios, group) ? ratios[group] : undefined;
}

/** What GET /api/user/groups and /self/groups answer: the usable groups that have a ratio. */
export function describeGroups(
  settings: Settings,
  userGroup: string,
  language: Language = 'zh',
): Record<string, { ratio: number; desc: string }> {
  const described: Record<string, { ratio: number; desc: string }> = {};
  for (const [name, desc] of Object.entries(usableGroups(settings, userGroup, language))) {
    const ratio = groupRatio(settings, name, userGroup);
    if (ratio !== undefined) described[name] = { ratio, desc };
  }
  return described;
}

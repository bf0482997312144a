import type { Settings } from '../settings/index.ts';

/** How the group a user stands in is described when it is not among those to choose from (wire-facts 5.2). */
const ownGroupWords = '用户分组';

/** Groups a user of `userGroup` may use, with their descriptions: those on offer, and his own (wire-facts 5.2). */
export function usableGroups(settings: Settings, userGroup: string): Record<string, string> {
  const offered = settings.get('UserUsableGroups');
  return Object.hasOwn(offered, userGroup) ? { ...offered } : { ...offered, [userGroup]: ownGroupWords };
}

/** The ratio of a group; undefined for a group that has none. */
export function groupRatio(settings: Settings, group: string): number | undefined {
  const ratios = settings.get('GroupRatio');
  return Object.hasOwn(ratios, group) ? ratios[group] : undefined;
}

/** What GET /api/user/groups and /self/groups answer: the usable groups that have a ratio. */
export function describeGroups(
  settings: Settings,
  userGroup: string,
): Record<string, { ratio: number; desc: string }> {
  const described: Record<string, { ratio: number; desc: string }> = {};
  for (const [name, desc] of Object.entries(usableGroups(settings, userGroup))) {
    const ratio = groupRatio(settings, name);
    if (ratio !== undefined) described[name] = { ratio, desc };
  }
  return described;
}

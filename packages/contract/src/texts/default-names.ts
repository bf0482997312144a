import type { Words } from '../words.ts';

/** How the groups of a new site are described, as the option `UserUsableGroups` has them by default. */
export const defaultGroupWords = {
  default: { zh: '默认分组', en: 'Default group' },
  vip: { zh: 'vip分组', en: 'VIP group' },
} as const satisfies Record<string, Words>;

/** How the group of a user is described that is not among those to choose from. */
export const ownGroupWords = { zh: '用户分组', en: "The user's group" } as const satisfies Words;

/** Names that Tollgate gives by itself, in the language of the person who causes them. */
export const defaultNames = {
  /** Channel and token of a new site that answer without any vendor. */
  sandbox: { zh: '沙盒', en: 'Sandbox' },
  /** The token of a user who registered; `{username}` is the user's name. */
  firstToken: { zh: '{username}的初始令牌', en: "{username}'s first key" },
  /** Added to the name of a copied channel. */
  copySuffix: { zh: '_复制', en: '_copy' },
} as const satisfies Record<string, Words>;

import type { Words } from '../words.ts';

/** Descriptions of the groups of a new site, the default of the option `UserUsableGroups`. */
export const defaultGroupWords = {
  default: { zh: '默认分组', en: 'Default group' },
  vip: { zh: 'vip分组', en: 'VIP group' },
} as const satisfies Record<string, Words>;

/** Description of a user's group that is not selectable. */
export const ownGroupWords = { zh: '用户分组', en: "The user's group" } as const satisfies Words;

/** Description of the group auto, if the site has none. */
export const autoGroupWords = {
  zh: '有该模型的第一个：{groups}',
  en: 'The first with the model: {groups}',
} as const satisfies Words;

/** Names that Tollgate assigns, in the language of the acting person. */
export const defaultNames = {
  /** Token of a new user. `{username}` is the user's name. */
  firstToken: { zh: '{username}的初始令牌', en: "{username}'s first key" },
  /** Added to the name of a copied channel. */
  copySuffix: { zh: '_复制', en: '_copy' },
} as const satisfies Record<string, Words>;

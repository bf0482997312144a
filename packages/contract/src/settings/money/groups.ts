import * as z from 'zod/mini';
import { settingError } from '../setting-error.ts';
import { defaultGroupWords } from '../../texts/default-names.ts';
import { group, json, toggle } from '../define.ts';
import { listUpTo, nameUpTo, ratioTable, textUpTo } from '../shapes.ts';

/** Refuses a ratio below 0 in the original's words (docs/compatibility.md#options). */
function checkRatios(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [name, ratio] of Object.entries(value)) {
    if (typeof ratio === 'number' && ratio < 0) throw settingError('group_ratio_negative', { group: name });
  }
}

export const groups = group(
  'groups',
  { zh: '分组设置', en: 'Groups' },
  {
    GroupRatio: json({
      schema: ratioTable,
      check: checkRatios,
      default: { default: 1, vip: 1, svip: 1 },
      widget: 'custom:group-ratio',
      label: { zh: '分组倍率', en: 'Group ratios' },
      help: {
        zh: 'JSON，键为分组名称，值为倍率；价格乘以此倍率',
        en: 'JSON: group → ratio that prices are multiplied by',
      },
    }),
    GroupGroupRatio: json({
      schema: z.record(nameUpTo(64), ratioTable),
      check(value) {
        if (typeof value !== 'object' || value === null) return;
        for (const ratios of Object.values(value)) checkRatios(ratios);
      },
      default: {},
      label: { zh: '分组间倍率', en: 'Ratios between groups' },
      help: {
        zh: 'JSON，如 {"vip":{"svip":0.9}}：vip 用户使用 svip 分组时按 0.9，代替该分组的倍率',
        en: 'JSON, e.g. {"vip":{"svip":0.9}}: users of vip pay 0.9 in the group svip, in place of its ratio',
      },
    }),
    UserUsableGroups: json({
      schema: z.record(nameUpTo(64), textUpTo(1_000)),
      default: { default: defaultGroupWords.default.zh, vip: defaultGroupWords.vip.zh },
      widget: 'custom:usable-groups',
      label: { zh: '用户可选分组', en: 'Groups users may choose' },
      help: { zh: 'JSON，键为分组名称，值为描述', en: 'JSON: group → description' },
    }),
    'group_ratio_setting.group_special_usable_group': json({
      schema: z.record(nameUpTo(64), z.record(nameUpTo(66), textUpTo(1_000))),
      default: {},
      label: { zh: '特殊可用分组', en: 'Groups for users of one group' },
      help: {
        zh: 'JSON，如 {"vip":{"+:svip":"描述","-:default":""}}：vip 用户另可选择 svip，不可选择 default',
        en: 'JSON, e.g. {"vip":{"+:svip":"description","-:default":""}}: users of vip may choose svip as well, and not default',
      },
    }),
    AutoGroups: json({
      schema: listUpTo(100, nameUpTo(64)),
      default: ['default'],
      label: { zh: '自动分组', en: 'Groups of auto' },
      help: {
        zh: 'JSON，如 ["default","vip"]：auto 令牌使用其中第一个用户可选且有渠道的分组',
        en: 'JSON, e.g. ["default","vip"]: keys of auto use the first that their user may choose and that has a channel',
      },
    }),
    DefaultUseAutoGroup: toggle({
      default: false,
      publicAs: 'default_use_auto_group',
      label: { zh: '新令牌默认使用 auto 分组', en: 'New keys use the group auto' },
      help: {
        zh: '新建令牌时预先选中 auto，注册时生成的令牌也使用它',
        en: 'The form of a new key preselects auto; keys made at registration have it',
      },
    }),
  },
);

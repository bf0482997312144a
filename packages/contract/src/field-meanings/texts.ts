import type { Words } from '../words.ts';

const json = { zh: 'JSON 文本', en: 'JSON text' };
const commas = { zh: '以逗号分隔', en: 'A list with commas' };
const progress = { zh: '0% 至 100%', en: '0% to 100%' };

/** How texts are written whose form their name does not tell; `Schema.name`, `part.name` or the name alone. */
export const textMeanings: Readonly<Record<string, Words>> = {
  'ChannelData.group': commas,
  'ChannelData.key': { zh: '从不返回，总为空', en: 'Never answered, always empty' },
  'ChannelData.models': commas,
  'ChannelData.other_info': {
    zh: 'JSON 文本：自动禁用的原因与时间（Unix 秒）',
    en: 'JSON text: why and when (Unix seconds) it was disabled',
  },
  'ChannelData.setting': json,
  'LogData.other': { zh: 'JSON 文本：计费明细', en: 'JSON text: the terms of the charge' },
  'ManagedUserData.setting': json,
  'ReceiptTerm.amount': { zh: '额度单位，精确小数', en: 'Quota units, as an exact decimal' },
  'ReceiptTerm.unit': { zh: '每个的额度单位，精确小数', en: 'Quota units for each, as an exact decimal' },
  'UserData.setting': json,
  'channels.group': commas,
  'channels.groups': commas,
  'channels.models': commas,
  'channels.setting': json,
  'logs.model_name': { zh: '% 代表任意文字', en: '% stands for any text' },
  'logs.payer': {
    zh: 'user、team 或组织 ID；空为全部',
    en: '`user`, `team` or the id of an organisation; empty for all',
  },
  'organisation-records.month': { zh: '如 2026-11；空为本月', en: 'Like 2026-11; empty for this month' },
  allow_ips: { zh: '每行一个地址或网段；空为不限', en: 'One address or CIDR range a line; empty for any' },
  model_limits: commas,
  model_mapping: {
    zh: 'JSON 文本：模型名 → 上游的名称',
    en: 'JSON text: name of a model → its name upstream',
  },
  param_override: {
    zh: 'JSON 文本：覆盖请求的成员，或其 operations',
    en: 'JSON text: members that replace those of a request, or operations on it',
  },
  progress,
  status_code_mapping: {
    zh: 'JSON 文本：上游状态码 → 返回的状态码',
    en: 'JSON text: status upstream → status here',
  },
};

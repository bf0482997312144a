import {
  amountPatterns,
  inEnglish,
  inOnePrecision,
  keptPatterns,
  type TextPattern,
} from '@tollgate/contract';
import type { Language } from '../../lib/language.ts';

/** Chinese texts of rows (`keptTexts`) and of errors that programs read, with their English translations. */
const english: readonly TextPattern[] = [
  ...keptPatterns,
  [/当前分组 (.*?) 下对于模型 (.*?) 无可用渠道/, 'No available channel for the model $2 in the group $1'],
  [/当前分组上游负载已饱和，请稍后再试/, 'Every channel of this group is saturated, please try again later'],
  [/上游拒绝了该渠道的凭证，请联系管理员；/, ''],
  [/请求上游地址失败/, 'The upstream could not be reached'],
  [/该渠道已被禁用/, 'The channel is disabled'],
  [/无效的渠道 Id/, 'Invalid channel id'],
  [/服务器内部错误，请联系管理员！?/, 'Internal server error, please contact the administrator'],
  ...amountPatterns,
];

/** A server text in the reader's language; an unknown text is unchanged. */
export function wireWords(text: string, language: Language): string {
  const shown = inOnePrecision(text);
  return language === 'zh' ? shown : inEnglish(shown, english);
}

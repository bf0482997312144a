import { keptTexts, moneyDigits, type Words } from '@tollgate/contract';
import type { Language } from '../../lib/language.ts';

type Pattern = readonly [pattern: RegExp, words: string];

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** Finds a kept text again, whatever values stand in it. */
function patternOf({ zh, en }: Words): Pattern {
  const pieces = zh.split(/\{(\w+)\}/);
  const source = pieces
    .map((piece, index) => (index % 2 === 0 ? escaped(piece) : `(?<${piece}>.+?)`))
    .join('');
  const isOpen = zh.endsWith('}');
  return [new RegExp(isOpen ? `${source}$` : source), en.replace(/\{(\w+)\}/g, '$<$1>')];
}

/** Texts of rows (`keptTexts`) and of errors that programs read in Chinese, and what they say in English. */
const english: readonly Pattern[] = [
  [/网关中断，按已送达内容的估算计费/, keptTexts.crashed.en],
  ...Object.values(keptTexts).map(patternOf),
  [/当前分组 (.*?) 下对于模型 (.*?) 无可用渠道/, 'No available channel for the model $2 in the group $1'],
  [/当前分组上游负载已饱和，请稍后再试/, 'Every channel of this group is saturated, please try again later'],
  [/上游拒绝了该渠道的凭证，请联系管理员；/, ''],
  [/请求上游地址失败/, 'The upstream could not be reached'],
  [/该渠道已被禁用/, 'The channel is disabled'],
  [/无效的渠道 Id/, 'Invalid channel id'],
  [/^模型测试$/, 'Model test'],
  [/服务器内部错误，请联系管理员！?/, 'Internal server error, please contact the administrator'],
  [/＄(-?[\d.]+) 额度/g, '$$$1'],
  [/(-?\d+) 点额度/g, '$1 units'],
];

const kept = /(?<=＄-?)\d+\.\d{6}(?= 额度)/g;

/** Rows keep six decimals of every amount; people read them in the precision of the whole console (`moneyDigits`). */
function inOnePrecision(text: string): string {
  const dollars = text.match(kept);
  if (!dollars) return text;
  const digits = moneyDigits(dollars.map(Number), 1);
  return text.replace(kept, (amount) => Number(amount).toFixed(digits));
}

/** A text of the server in the reader's language; what is not known stays as it is. */
export function wireWords(text: string, language: Language): string {
  const shown = inOnePrecision(text);
  return language === 'zh'
    ? shown
    : english.reduce((words, [pattern, replacement]) => words.replace(pattern, replacement), shown);
}

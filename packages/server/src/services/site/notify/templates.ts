import { fillWords, type Language, type RetiringModel, type Words } from '@tollgate/contract';
import type { Notice, NoticeIn } from './types.ts';

/** Escapes text for HTML elements and quoted attributes. */
export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`);

/** The HTML of a notice: every value is escaped, because some are texts of users, channels and upstreams. */
export function fillHtml({ content, values }: Pick<Notice, 'content' | 'values'>): string {
  let next = 0;
  return content.replaceAll('{{value}}', () => escapeHtml(values[next++] ?? ''));
}

/**
 * Texts of notices. `{{value}}` is a placeholder, in the same order in both languages, because receivers of webhooks
 * read the values by position.
 */
const texts = {
  lowQuota: { zh: '您的额度即将用尽', en: 'Your balance is nearly used up' },
  lowTeamQuota: {
    zh: '组织「{name}」的额度即将用尽',
    en: 'The balance of the organisation “{name}” is nearly used up',
  },
  remaining: {
    zh: '{{value}}，当前剩余额度为 {{value}}，为了不影响您的使用，请及时充值。',
    en: '{{value}}: {{value}} left. Please top up so that your calls are not interrupted.',
  },
  topUpLink: { zh: '充值链接：', en: 'Top up: ' },
  channelOff: { zh: '通道「{name}」（#{id}）已被禁用', en: 'Channel “{name}” (#{id}) was switched off' },
  channelOn: { zh: '通道「{name}」（#{id}）已被启用', en: 'Channel “{name}” (#{id}) was switched on again' },
  offBecause: { zh: '{{value}}，原因：{{value}}', en: '{{value}}. Reason: {{value}}' },
  testsTitle: { zh: '通道测试完成', en: 'Channel test finished' },
  testsDone: { zh: '所有通道测试已完成', en: 'The test of all channels has finished' },
  budgetShare: { zh: '预算「{name}」已用 {share}%', en: 'Budget “{name}” has used {share} %' },
  creditEnds: { zh: '您的部分额度即将到期', en: 'Some of your credit will expire' },
  teamCreditEnds: {
    zh: '组织「{name}」的部分额度即将到期',
    en: 'Some credit of the organisation “{name}” will expire',
  },
  endingPart: { zh: '{amount} 有效期至 {until}', en: '{amount} until {until}' },
  ending: {
    zh: '{{value}}：{{value}}。届时未使用的部分将失效。',
    en: '{{value}}: {{value}}. Credit that is not used by then expires.',
  },
  planEnded: { zh: '套餐「{name}」已结束', en: 'Your plan “{name}” has ended' },
  planShort: {
    zh: '余额不足以续订，套餐「{name}」已结束',
    en: 'Your plan “{name}” has ended: the balance did not cover its price',
  },
  planFailed: {
    zh: '套餐「{name}」续订扣款失败，Stripe 会再次尝试',
    en: 'The payment for your plan “{name}” failed; Stripe tries again',
  },
  autoTopUpFailed: {
    zh: '自动充值扣款失败，已停用',
    en: 'Automatic top-up could not charge your card, and is off now',
  },
  retire: { zh: '您使用的模型即将停用', en: 'Models that you use will be retired' },
  retires: {
    zh: '{{value}}：{{value}}。请在此之前改用其他模型。',
    en: '{{value}}: {{value}}. Please change to other models before.',
  },
} satisfies Record<string, Words>;

/** Formats an amount of quota for each language. */
export type AmountIn = (language: Language) => string;

/** The balance, or that of a team, has fallen below the user's threshold (docs/compatibility.md#notices). */
export const lowQuota =
  (remaining: AmountIn, topUpLink: string, team?: string): NoticeIn =>
  (language) => {
    const title =
      team === undefined ? texts.lowQuota[language] : fillWords(texts.lowTeamQuota[language], { name: team });
    const rest = texts.remaining[language];
    const values = [title, remaining(language)];
    // Without a server address, a link would have no destination.
    const type = team === undefined ? 'quota_exceed' : 'team_quota_exceed';
    if (topUpLink === '') return { type, title, content: rest, text: rest, values };
    const before = texts.topUpLink[language];
    return {
      type,
      title,
      content: `${rest}<br/>${before}<a href='{{value}}'>{{value}}</a>`,
      text: `${rest}\n\n${before}{{value}}`,
      values: [...values, topUpLink, topUpLink],
    };
  };

/** A channel that Tollgate disabled or enabled. */
export interface ChannelChange {
  id: number;
  name: string;
  /** Channel status: 1 enabled again, 3 disabled. */
  status: number;
  /** Reason of the change: a text of Tollgate or of an upstream. */
  reason: string | Words;
}

/** Notice to root of an automatic change of a channel (docs/compatibility.md#notices). */
export const channelChanged =
  ({ id, name, status, reason }: ChannelChange): NoticeIn =>
  (language) => {
    const isOn = status === 1;
    const title = fillWords(texts[isOn ? 'channelOn' : 'channelOff'][language], { name, id });
    const content = isOn ? '{{value}}' : texts.offBecause[language];
    const why = typeof reason === 'string' ? reason : reason[language];
    const values = isOn ? [title] : [title, why];
    return { type: `channel_update_${id}_${status}`, title, content, text: content, values };
  };

/** Notice to root of a completed test of all channels. */
export const testsFinished: NoticeIn = (language) => {
  const content = texts.testsDone[language];
  return { type: 'channel_test', title: texts.testsTitle[language], content, text: content, values: [] };
};

/** Notice to a user of models whose vendor will shut them down. */
export const modelsRetire =
  (models: readonly RetiringModel[]): NoticeIn =>
  (language) => {
    const title = texts.retire[language];
    const content = texts.retires[language];
    const list = models.map(({ model, ends }) => `${model} (${ends})`).join(', ');
    return { type: 'model_retires', title, content, text: content, values: [title, list] };
  };

/** Notice of credit that expires, to the owner of a wallet or of an organisation. Amounts and times are texts. */
export const creditEnds =
  (parts: readonly { amount: string; until: string }[], link: string, team?: string): NoticeIn =>
  (language) => {
    const title =
      team === undefined
        ? texts.creditEnds[language]
        : fillWords(texts.teamCreditEnds[language], { name: team });
    const list = parts.map((part) => fillWords(texts.endingPart[language], part)).join(', ');
    const content = texts.ending[language];
    const type = team === undefined ? 'credit_expires' : 'team_credit_expires';
    const values = [title, list];
    if (link === '') return { type, title, content, text: content, values };
    return {
      type,
      title,
      content: `${content}<br/><a href='{{value}}'>{{value}}</a>`,
      text: `${content}\n\n{{value}}`,
      values: [...values, link, link],
    };
  };

const planTexts = { ended: texts.planEnded, short: texts.planShort, failed: texts.planFailed };

/** Notice of a subscription that has ended, or whose payment failed. */
export const planStops =
  ({ plan, reason }: { plan: Words; reason: keyof typeof planTexts }): NoticeIn =>
  (language) => {
    const title = fillWords(planTexts[reason][language], { name: plan[language] });
    const content = '{{value}}';
    return { type: `plan_${reason}`, title, content, text: content, values: [title] };
  };

/** Notice of an automatic top-up that failed. */
export const autoTopUpFails: NoticeIn = (language) => {
  const title = texts.autoTopUpFailed[language];
  return { type: 'auto_top_up', title, content: '{{value}}', text: '{{value}}', values: [title] };
};

/** Notice of a budget that has reached a share of its amount. */
export const budgetShare =
  ({ id, name, share }: { id: number; name: string; share: number }): NoticeIn =>
  (language) => {
    const title = fillWords(texts.budgetShare[language], { name, share });
    const values = [title];
    return { type: `budget_${id}_${share}`, title, content: '{{value}}', text: '{{value}}', values };
  };

/** The plain text of a notice, for mail programs that show no HTML. */
export function fillText({ text, values }: Pick<Notice, 'text' | 'values'>): string {
  let next = 0;
  return text.replaceAll('{{value}}', () => values[next++] ?? '');
}

import type { Notice } from './types.ts';

/** Text as HTML shows it, in elements and in quoted attributes. */
export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`);

/** The HTML of a notice: every value escaped, because user, channel and upstream texts are among them. */
export function fillHtml({ content, values }: Pick<Notice, 'content' | 'values'>): string {
  let next = 0;
  return content.replaceAll('{{value}}', () => escapeHtml(values[next++] ?? ''));
}

/** The balance has fallen below the user's threshold (wire-facts 8.4). */
export function lowQuota(remaining: string, topUpLink: string): Notice {
  const title = '您的额度即将用尽';
  const rest = '{{value}}，当前剩余额度为 {{value}}，为了不影响您的使用，请及时充值。';
  // Without a server address there is no link that would lead anywhere.
  if (topUpLink === '') return { type: 'quota_exceed', title, content: rest, values: [title, remaining] };
  const content = `${rest}<br/>充值链接：<a href='{{value}}'>{{value}}</a>`;
  return { type: 'quota_exceed', title, content, values: [title, remaining, topUpLink, topUpLink] };
}

/** A channel that Tollgate switched off or on. */
export interface ChannelChange {
  id: number;
  name: string;
  /** Channel status: 1 on again, 3 switched off. */
  status: number;
  /** Why it was switched off. */
  reason: string;
}

/** What root is told when a channel was switched off or on by itself (wire-facts 8.4). */
export function channelChanged({ id, name, status, reason }: ChannelChange): Notice {
  const type = `channel_update_${id}_${status}`;
  const channel = `通道「${name}」（#${id}）`;
  if (status === 1) {
    return { type, title: `${channel}已被启用`, content: '{{value}}', values: [`${channel}已被启用`] };
  }
  const title = `${channel}已被禁用`;
  return { type, title, content: '{{value}}，原因：{{value}}', values: [title, reason] };
}

/** What root is told after a test of all channels that somebody asked for. */
export const testsFinished = (): Notice => ({
  type: 'channel_test',
  title: '通道测试完成',
  content: '所有通道测试已完成',
  values: [],
});

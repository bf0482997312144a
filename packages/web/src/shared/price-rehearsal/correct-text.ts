import { texts } from '../../lib/i18n.ts';

export const correctText = texts({
  open: { zh: '更正过去的收费…', en: 'Correct past charges…' },
  title: { zh: '更正这些收费', en: 'Correct these charges' },
  hint: {
    zh: '原有收费不变；每笔之外另记一条更正，写明原因，可撤销一次。',
    en: 'The original charges stay; each gets a correction with its reason, which can be undone once.',
  },
  unsaved: {
    zh: '这些价格尚未保存：新的调用仍按已保存的价格收费。',
    en: 'These prices are not saved: new calls are still charged at the saved ones.',
  },
  reason: { zh: '原因', en: 'Reason' },
  reasonHint: {
    zh: '所有相关用户都会在收据上看到',
    en: 'All affected users see it on their receipts',
  },
  required: { zh: '必填', en: 'Required' },
  collect: { zh: '同时补收少收的费用', en: 'Also collect what was undercharged' },
  collectHint: {
    zh: '只从可用余额中收取，不会透支；否则变贵的调用保持原收费。',
    en: 'Takes only what balances cover; when off, undercharged calls keep their original charge.',
  },
  back: {
    zh: '{count} 次调用将退回：',
    en: { one: 'Refunded for {count} call:', other: 'Refunded for {count} calls:' },
  },
  taken: {
    zh: '{count} 次调用将最多补收：',
    en: { one: 'Collected for {count} call, at most:', other: 'Collected for {count} calls, at most:' },
  },
  left: {
    zh: '{count} 次调用少收而保持不变：',
    en: {
      one: 'Not collected for {count} undercharged call:',
      other: 'Not collected for {count} undercharged calls:',
    },
  },
  action: {
    zh: '更正 {count} 笔收费…',
    en: { one: 'Correct {count} charge…', other: 'Correct {count} charges…' },
  },
  confirmTitle: {
    zh: '更正 {count} 笔收费？',
    en: { one: 'Correct {count} charge?', other: 'Correct {count} charges?' },
  },
  begin: { zh: '开始更正', en: 'Begin' },
  begun: { zh: '更正已开始。', en: 'The correction has started.' },
  follow: { zh: '查看进度', en: 'View progress' },
});

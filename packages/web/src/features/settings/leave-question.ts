import { texts } from '../../lib/i18n.ts';

const text = texts({
  title: { zh: '放弃未保存的修改？', en: 'Leave without saving?' },
  body: { zh: '您修改的设置将会丢失。', en: 'The settings you changed will be lost.' },
  action: { zh: '放弃修改', en: 'Discard changes' },
});

/** Asks before the page with unsaved settings is left; a demo site permits it too. */
export const leaveQuestion = { ...text, danger: true, keeps: true } as const;

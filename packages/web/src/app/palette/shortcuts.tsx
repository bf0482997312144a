import { Modal } from '@mantine/core';
import { texts, useTranslate } from '../../lib/i18n.ts';
import { modifier } from './modifier.ts';
import classes from './palette.module.css';

const text = texts({
  title: { zh: '键盘快捷键', en: 'Keyboard shortcuts' },
  close: { zh: '关闭', en: 'Close' },
  palette: { zh: '搜索页面、操作和记录', en: 'Search pages, actions and records' },
  search: { zh: '转到列表的搜索框', en: 'Go to the search field of the list' },
  shortcuts: { zh: '显示这些快捷键', en: 'Show these shortcuts' },
  leave: { zh: '关闭对话框或抽屉', en: 'Close a dialog or a drawer' },
});

const shortcuts = [
  { keys: `${modifier} K`, what: text.palette },
  { keys: '/', what: text.search },
  { keys: '?', what: text.shortcuts },
  { keys: 'Esc', what: text.leave },
];

/** The list of keyboard shortcuts. */
export function Shortcuts({ onClose }: { onClose: () => void }) {
  const t = useTranslate();
  return (
    <Modal opened onClose={onClose} title={t(text.title)} closeButtonProps={{ 'aria-label': t(text.close) }}>
      <dl className={classes.shortcuts}>
        {shortcuts.map(({ keys, what }) => (
          <div key={keys}>
            <dt>{t(what)}</dt>
            <dd>
              <kbd>{keys}</kbd>
            </dd>
          </div>
        ))}
      </dl>
    </Modal>
  );
}

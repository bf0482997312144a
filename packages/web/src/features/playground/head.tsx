import { ActionIcon, Button, Tooltip } from '@mantine/core';
import { Eraser, MessageSquarePlus, PanelRightClose, PanelRightOpen } from 'lucide-react';
import { useTranslate } from '../../lib/i18n.ts';
import { Money } from '../../shared/money/money.tsx';
import classes from './playground.module.css';
import { text } from './base/text.ts';

interface HeadProps {
  /** '' while there is no choice. */
  model: string;
  /** Quota units; undefined while loading. */
  balance: number | undefined;
  spent: number;
  isEmpty: boolean;
  isBusy: boolean;
  /** True for chat models, which have conversation actions. */
  isChat: boolean;
  panelShown: boolean;
  onPanel: () => void;
  onClear: () => void;
  onStartOver: () => void;
}

/** Model, balance and actions on the whole conversation. */
export function Head(props: HeadProps) {
  const t = useTranslate();
  const { model, balance, spent, isChat, panelShown, onPanel } = props;
  const PanelIcon = panelShown ? PanelRightClose : PanelRightOpen;
  const panelLabel = t(panelShown ? text.hidePanel : text.showPanel);
  return (
    <header className={classes.head}>
      <h1 className={classes.title}>{t(text.title)}</h1>
      <span className={classes.model}>{model}</span>
      <span className={classes.gap} />
      {isChat && spent > 0 && (
        <span className={classes.figure} data-optional>
          {t(text.spent)} <Money quota={spent} digits={6} />
        </span>
      )}
      {balance !== undefined && (
        <span className={classes.figure}>
          {t(text.balance)} <Money quota={balance} />
        </span>
      )}
      {isChat && <ChatActions {...props} />}
      <Tooltip label={panelLabel}>
        <ActionIcon size={32} aria-label={panelLabel} aria-expanded={panelShown} onClick={onPanel}>
          <PanelIcon size={17} />
        </ActionIcon>
      </Tooltip>
    </header>
  );
}

/** Deletes a part of the conversation, or all of it. */
function ChatActions({ isEmpty, isBusy, onClear, onStartOver }: HeadProps) {
  const t = useTranslate();
  return (
    <>
      <Tooltip label={t(text.clear)}>
        <ActionIcon size={32} aria-label={t(text.clear)} disabled={isEmpty || isBusy} onClick={onClear}>
          <Eraser size={17} />
        </ActionIcon>
      </Tooltip>
      <Button
        size="xs"
        variant="default"
        className={classes.startOver}
        leftSection={<MessageSquarePlus size={15} />}
        disabled={isEmpty}
        onClick={onStartOver}
        aria-label={t(text.startOver)}
      >
        <span className={classes.words}>{t(text.startOver)}</span>
      </Button>
    </>
  );
}

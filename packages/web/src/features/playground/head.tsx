import { ActionIcon, Button, Tooltip } from '@mantine/core';
import { Eraser, MessageSquarePlus, PanelRightClose, PanelRightOpen } from 'lucide-react';
import { useSay } from '../../lib/i18n.ts';
import { Money } from '../../shared/money/money.tsx';
import classes from './playground.module.css';
import { text } from './base/text.ts';

interface HeadProps {
  /** '' while nothing can be chosen. */
  model: string;
  /** Quota units; undefined while it is loading. */
  balance: number | undefined;
  spent: number;
  isEmpty: boolean;
  isBusy: boolean;
  /** The model converses: what concerns the conversation is offered. */
  isChat: boolean;
  panelShown: boolean;
  onPanel: () => void;
  onClear: () => void;
  onStartOver: () => void;
}

/** Model, money and what concerns the whole conversation. */
export function Head(props: HeadProps) {
  const say = useSay();
  const { model, balance, spent, isChat, panelShown, onPanel } = props;
  const PanelIcon = panelShown ? PanelRightClose : PanelRightOpen;
  const panelLabel = say(panelShown ? text.hidePanel : text.showPanel);
  return (
    <header className={classes.head}>
      <h1 className={classes.title}>{say(text.title)}</h1>
      <span className={classes.model}>{model}</span>
      <span className={classes.gap} />
      {isChat && spent > 0 && (
        <span className={classes.figure} data-optional>
          {say(text.spent)} <Money quota={spent} digits={6} />
        </span>
      )}
      {balance !== undefined && (
        <span className={classes.figure}>
          {say(text.balance)} <Money quota={balance} />
        </span>
      )}
      {isChat && <ChatActs {...props} />}
      <Tooltip label={panelLabel}>
        <ActionIcon size={32} aria-label={panelLabel} aria-expanded={panelShown} onClick={onPanel}>
          <PanelIcon size={17} />
        </ActionIcon>
      </Tooltip>
    </header>
  );
}

/** Forgets a part of the conversation, or all of it. */
function ChatActs({ isEmpty, isBusy, onClear, onStartOver }: HeadProps) {
  const say = useSay();
  return (
    <>
      <Tooltip label={say(text.clear)}>
        <ActionIcon size={32} aria-label={say(text.clear)} disabled={isEmpty || isBusy} onClick={onClear}>
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
        aria-label={say(text.startOver)}
      >
        <span className={classes.words}>{say(text.startOver)}</span>
      </Button>
    </>
  );
}

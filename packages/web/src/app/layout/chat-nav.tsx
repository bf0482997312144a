import { Link } from '@tanstack/react-router';
import { ChevronRight, MessagesSquare } from 'lucide-react';
import { useTranslate } from '../../lib/i18n.ts';
import { stored } from '../../lib/storage.ts';
import { pageTitles } from '../text.ts';
import classes from './sidebar.module.css';

interface ChatNavProps {
  /** The chat applications of this site: objects with one name and its link. */
  chats: readonly Readonly<Record<string, string>>[];
  narrow: boolean;
  onFollow: (() => void) | undefined;
}

/** The submenu of chat applications; hidden without any. */
export function ChatNav({ chats, narrow, onFollow }: ChatNavProps) {
  const t = useTranslate();
  const opened = stored.chatMenuOpened.use();
  if (chats.length === 0) return null;
  const title = t(pageTitles.chat);
  const icon = <MessagesSquare size={17} strokeWidth={1.75} aria-hidden="true" />;
  if (narrow)
    return (
      <Link to="/chat" className={classes.item} onClick={onFollow} aria-label={title} title={title}>
        {icon}
      </Link>
    );
  return (
    <>
      <button
        type="button"
        className={classes.item}
        aria-expanded={opened}
        onClick={() => stored.chatMenuOpened.set(!opened)}
      >
        {icon}
        <span className={classes.grow}>{title}</span>
        <ChevronRight
          size={14}
          className={classes.chevron}
          data-opened={opened || undefined}
          aria-hidden="true"
        />
      </button>
      {opened &&
        chats.map((entry, index) => {
          const [name] = Object.keys(entry);
          if (name === undefined) return null;
          return (
            <Link key={index} to={`/chat/${index}`} className={classes.item} data-sub onClick={onFollow}>
              <span className={classes.cut}>{name}</span>
            </Link>
          );
        })}
    </>
  );
}

import { Menu } from '@mantine/core';
import { tokenStatus, type TokenData } from '@tollgate/contract';
import { Link } from '@tanstack/react-router';
import { MessagesSquare } from 'lucide-react';
import { useTranslate } from '../../lib/i18n.ts';
import { useStatus } from '../../lib/api/status.ts';
import { KeyRowActions } from '../../shared/key-cells/key-row-actions.tsx';
import { useUrlState } from '../../shared/url-state/use-url-state.ts';
import { useRemoveToken, useSwitchToken } from './queries.ts';
import { tokenSearch } from './search.ts';
import { text } from './text.ts';

/** The actions of a token; an enabled one also opens the chat applications of the site. */
export function RowActions({ token }: { token: TokenData }) {
  const [, setSearch] = useUrlState(tokenSearch);
  const switchKey = useSwitchToken();
  const removeKey = useRemoveToken();
  return (
    <KeyRowActions
      token={token}
      noun={text.noun}
      switchKey={switchKey}
      removeKey={removeKey}
      onUse={() => setSearch({ use: token.id })}
      onEdit={() => setSearch({ edit: String(token.id) })}
    >
      {token.status === tokenStatus.enabled && <ChatItems tokenId={token.id} />}
    </KeyRowActions>
  );
}

/** The chat applications of this site, opened with the key of this row. */
function ChatItems({ tokenId }: { tokenId: number }) {
  const t = useTranslate();
  const chats = useStatus()?.chats ?? [];
  if (chats.length === 0) return null;
  return (
    <>
      <Menu.Divider />
      <Menu.Label>{t(text.chatWith)}</Menu.Label>
      {chats.map((entry, index) => (
        <Menu.Item
          key={index}
          renderRoot={(props) => (
            <Link to={`/chat/${index}`} search={{ token: String(tokenId) }} {...props} />
          )}
          leftSection={<MessagesSquare size={14} />}
        >
          {Object.keys(entry)[0]}
        </Menu.Item>
      ))}
      <Menu.Divider />
    </>
  );
}

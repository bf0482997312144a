import { ActionIcon, Button, Group, Menu } from '@mantine/core';
import { tokenStatus, type TokenData } from '@tollgate/contract';
import { Ellipsis, Pencil, Trash2 } from 'lucide-react';
import type { ReactNode } from 'react';
import { useTranslate, type Text } from '../../lib/i18n.ts';
import { useConfirm } from '../confirm/use-confirm.tsx';
import { MutationButton } from '../demo/mutation-button.tsx';
import { toastWhenDone } from '../feedback/toast.ts';
import { LazyMenu } from '../lazy/lazy-menu.tsx';
import { keyActionText as text } from './text.ts';

/** A mutation of the row's list; a failure shows as a toast. */
interface Change<Input> {
  mutateAsync: (input: Input) => Promise<unknown>;
  isPending: boolean;
}

interface KeyChanges {
  token: TokenData;
  /** What the page calls a key. */
  noun: Text;
  switchKey: Change<{ token: number; enable: boolean }>;
  removeKey: Change<number>;
}

interface KeyRowActionsProps extends KeyChanges {
  /** Shows how to use the key; absent for those who may not see it. */
  onUse?: (() => void) | undefined;
  /** Absent where a key is only deleted, not edited or switched. */
  onEdit?: (() => void) | undefined;
  /** Further menu items, before the last one. */
  children?: ReactNode;
}

/** Enables, disables and deletes, each with a toast on success. */
function useKeyChanges({ token, noun, switchKey, removeKey }: KeyChanges) {
  const t = useTranslate();
  const confirm = useConfirm();
  const isEnabled = token.status === tokenStatus.enabled;
  const words = { noun: t(noun), name: token.name };
  const toggle = () =>
    void toastWhenDone(
      switchKey.mutateAsync({ token: token.id, enable: !isEnabled }),
      t(isEnabled ? text.nowDisabled : text.nowEnabled, words),
    );
  const remove = async () => {
    const agreed = await confirm({
      title: t(text.removeTitle, words),
      body: t(text.removeBody),
      action: t(text.remove),
      danger: true,
    });
    if (agreed) await toastWhenDone(removeKey.mutateAsync(token.id), t(text.removed, words));
  };
  return { isEnabled, toggle, remove: () => void remove() };
}

/** The actions of a row of keys: use, enable or disable in one click; edit and delete in a menu. */
export function KeyRowActions({ onUse, onEdit, children, ...changes }: KeyRowActionsProps) {
  const t = useTranslate();
  const { isEnabled, toggle, remove } = useKeyChanges(changes);
  return (
    <Group gap={4} wrap="nowrap" justify="flex-end" display="inline-flex">
      {onUse && (
        <Button size="compact-sm" variant="light" onClick={onUse}>
          {t(text.use)}
        </Button>
      )}
      {onEdit && (
        <MutationButton
          size="compact-sm"
          variant="subtle"
          color="gray"
          c="var(--tg-text-2)"
          loading={changes.switchKey.isPending}
          onClick={toggle}
        >
          {t(isEnabled ? text.disable : text.enable)}
        </MutationButton>
      )}
      <LazyMenu
        button={(props) => (
          <ActionIcon {...props} aria-label={t(text.more, { name: changes.token.name })}>
            <Ellipsis size={16} />
          </ActionIcon>
        )}
      >
        <Menu.Dropdown>
          {onEdit && (
            <Menu.Item leftSection={<Pencil size={14} />} onClick={onEdit}>
              {t(text.edit)}
            </Menu.Item>
          )}
          {children}
          <Menu.Item leftSection={<Trash2 size={14} />} color="var(--tg-bad)" onClick={remove}>
            {t(text.remove)}
          </Menu.Item>
        </Menu.Dropdown>
      </LazyMenu>
    </Group>
  );
}

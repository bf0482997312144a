import { ActionIcon, Button, Group, Menu } from '@mantine/core';
import { Ellipsis, Pencil, Trash2 } from 'lucide-react';
import type { ReactNode } from 'react';
import { useTranslate } from '../../lib/i18n.ts';
import { MutationButton } from '../demo/mutation-button.tsx';
import { keyActionText as text } from './text.ts';

interface KeyRowActionsProps {
  name: string;
  isEnabled: boolean;
  /** True while the switch is on its way to the server. */
  isSwitching: boolean;
  /** Shows how to use the key; absent for those who may not see it. */
  onUse?: (() => void) | undefined;
  /** Absent where the key must not be changed. */
  onToggle?: (() => void) | undefined;
  onEdit?: (() => void) | undefined;
  onRemove: () => void;
  /** Further items of the menu, before the last one. */
  children?: ReactNode;
}

/** The actions of a row of keys: use, enable or disable in one click; edit and delete in a menu. */
export function KeyRowActions({ name, isEnabled, isSwitching, ...props }: KeyRowActionsProps) {
  const t = useTranslate();
  return (
    <Group gap={4} wrap="nowrap" justify="flex-end" display="inline-flex">
      {props.onUse && (
        <Button size="compact-sm" variant="light" onClick={props.onUse}>
          {t(text.use)}
        </Button>
      )}
      {props.onToggle && (
        <MutationButton
          size="compact-sm"
          variant="subtle"
          color="gray"
          c="var(--tg-text-2)"
          loading={isSwitching}
          onClick={props.onToggle}
        >
          {t(isEnabled ? text.disable : text.enable)}
        </MutationButton>
      )}
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon aria-label={t(text.more, { name })}>
            <Ellipsis size={16} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {props.onEdit && (
            <Menu.Item leftSection={<Pencil size={14} />} onClick={props.onEdit}>
              {t(text.edit)}
            </Menu.Item>
          )}
          {props.children}
          <Menu.Item leftSection={<Trash2 size={14} />} color="var(--tg-bad)" onClick={props.onRemove}>
            {t(text.remove)}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </Group>
  );
}

import { Button, type ButtonProps } from '@mantine/core';
import type { ComponentPropsWithoutRef } from 'react';
import { useDemoDisabled } from './use-demo-disabled.ts';

type MutationButtonProps = ButtonProps & Omit<ComponentPropsWithoutRef<'button'>, keyof ButtonProps>;

/** A button that changes data on the server. A demo site disables it and shows the reason. */
export function MutationButton(props: MutationButtonProps) {
  return <Button {...props} {...useDemoDisabled()} />;
}

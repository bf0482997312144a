import { Button, type ButtonProps } from '@mantine/core';
import type { ComponentPropsWithoutRef } from 'react';
import { useDemoDisabled } from './use-demo-disabled.ts';

type MutationButtonProps = ButtonProps & Omit<ComponentPropsWithoutRef<'button'>, keyof ButtonProps>;

/** A button that changes something at the server: disabled with the reason on a demo site, which would refuse it. */
export function MutationButton(props: MutationButtonProps) {
  return <Button {...props} {...useDemoDisabled()} />;
}

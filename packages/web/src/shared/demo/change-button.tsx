import { Button, type ButtonProps } from '@mantine/core';
import type { ComponentPropsWithoutRef } from 'react';
import { useDemo } from '../../lib/api/status.ts';

type ChangeButtonProps = ButtonProps & Omit<ComponentPropsWithoutRef<'button'>, keyof ButtonProps>;

/** A button that changes something at the server: asleep on a demo site, which would refuse it. */
export function ChangeButton({ disabled = false, ...rest }: ChangeButtonProps) {
  const isDemo = useDemo();
  return <Button {...rest} disabled={disabled || isDemo} />;
}

import { Menu, type MenuItemProps } from '@mantine/core';
import { useDemoDisabled } from './use-demo-disabled.ts';

/** A choice of a menu that changes something at the server at once: disabled with the reason on a demo site. */
export function MutationMenuItem(props: MenuItemProps & { onClick: () => void }) {
  return <Menu.Item {...props} {...useDemoDisabled()} />;
}

import { Menu, type MenuItemProps } from '@mantine/core';
import { useDemoDisabled } from './use-demo-disabled.ts';

/** A menu item that changes data on the server at once. A demo site disables it and shows the reason. */
export function MutationMenuItem(props: MenuItemProps & { onClick: () => void }) {
  return <Menu.Item {...props} {...useDemoDisabled()} />;
}

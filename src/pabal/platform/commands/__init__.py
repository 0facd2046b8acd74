"""What commands share with the command line, which stands above the apps: a command finds the shell as `ctx.obj`."""

pytest_plugins = ["tests.support.database"]

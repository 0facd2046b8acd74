"""How sources and skills reach the world: documents at an address, programs in a process of their own."""

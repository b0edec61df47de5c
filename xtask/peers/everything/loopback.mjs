// Keeps the server on loopback: it has no option for that, and its `get-env` tool shows its environment to any caller.

import net from "node:net";

const listen = net.Server.prototype.listen;

net.Server.prototype.listen = function (port, ...rest) {
  return listen.call(this, port, "127.0.0.1", ...rest);
};

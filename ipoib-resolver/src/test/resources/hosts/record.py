"""Writes what this host's kernel says about its interfaces, routes and RDMA devices, for the resolver's tests.

    record.py DIRECTORY DESTINATION...

Makes sysfs.txt ("PATH VALUE" below /sys; of a GID table the first empty entries only) and netlink.txt ("links|addresses HEX" for
each datagram of a dump, "route DESTINATION HEX" for each destination's answer). Changes nothing.
"""
import ipaddress
import os
import socket
import struct
import sys

REQUEST, DUMP = 1, 0x300
GETLINK, GETADDR, GETROUTE = 18, 22, 26


def ask(kind, flags, body, dump):
    s = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0)
    s.settimeout(2)
    s.sendto(struct.pack("=IHHII", 16 + len(body), kind, REQUEST | flags, 1, 0) + body, (0, 0))
    datagrams = []
    while True:
        data = s.recv(1 << 18)
        datagrams.append(data)
        at, done = 0, not dump
        while at + 16 <= len(data):
            length, mtype = struct.unpack_from("=IH", data, at)
            done |= mtype in (2, 3)
            at += (length + 3) & ~3
        if done:
            return datagrams


def netlink(out, destinations):
    for d in ask(GETLINK, DUMP, struct.pack("=BxHiII", 0, 0, 0, 0, 0) + struct.pack("=HHI", 8, 29, 8), True):
        out.write("links %s\n" % d.hex())
    for d in ask(GETADDR, DUMP, struct.pack("=BBBBI", 0, 0, 0, 0, 0), True):
        out.write("addresses %s\n" % d.hex())
    for text in destinations:
        a = ipaddress.ip_address(text)
        family = socket.AF_INET if a.version == 4 else socket.AF_INET6
        body = struct.pack("=BBBBBBBBI", family, 8 * len(a.packed), 0, 0, 0, 0, 0, 0, 0)
        body += struct.pack("=HH", 4 + len(a.packed), 1) + a.packed
        for d in ask(GETROUTE, 0, body, False):
            out.write("route %s %s\n" % (text, d.hex()))


def value(path):
    try:
        with open(path, errors="replace") as f:
            return f.read().strip()
    except OSError:
        return None


def sysfs(out):
    root = "/sys/class/infiniband"
    for device in sorted(os.listdir(root)) if os.path.isdir(root) else []:
        d = os.path.join(root, device)
        names = ["node_type", "node_guid"]
        for port in sorted(os.listdir(d + "/ports")):
            p = "ports/" + port
            names += [p + "/" + n for n in ("state", "link_layer")]
            empty = 0
            for i in sorted(map(int, os.listdir("%s/%s/gids" % (d, p)))):
                gid = value("%s/%s/gids/%d" % (d, p, i)) or ""
                empty += not gid.replace(":", "").strip("0")
                if empty < 4:
                    names += ["%s/gids/%d" % (p, i), "%s/gid_attrs/types/%d" % (p, i), "%s/gid_attrs/ndevs/%d" % (p, i)]
        for n in names:
            v = value(os.path.join(d, n))
            if v is not None:
                out.write("class/infiniband/%s/%s %s\n" % (device, n, v))


directory = sys.argv[1]
os.makedirs(directory, exist_ok=True)
with open(os.path.join(directory, "netlink.txt"), "w") as f:
    netlink(f, sys.argv[2:])
with open(os.path.join(directory, "sysfs.txt"), "w") as f:
    sysfs(f)

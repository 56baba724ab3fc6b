"""Builds hosts that nobody could record: InfiniBand with IPoIB, and a pair of Ethernet ports that the adapter itself bonds.

    build.py DIRECTORY      makes DIRECTORY/infiniband and DIRECTORY/roce-lag, in the format of record.py

Formats: linux/rtnetlink.h, linux/if_link.h, Documentation/ABI/stable/sysfs-class-infiniband, RFC 4391 (20-byte hardware addresses; the
P_Key in the group of everybody). A bond takes that group from its member (bond_setup_by_slave).
"""
import ipaddress
import os
import struct
import sys

UP, BROADCAST, LOOPBACK, RUNNING, MASTER, SLAVE, LOWER_UP = 1, 2, 8, 0x40, 0x400, 0x800, 0x10000
ON = UP | BROADCAST | RUNNING | LOWER_UP
ETHER, INFINIBAND, ARPHRD_LOOPBACK = 1, 32, 772


def attr(kind, value):
    return struct.pack("=HH", 4 + len(value), kind) + value + b"\0" * (-len(value) % 4)


def number(kind, value):
    return attr(kind, struct.pack("=I", value))


def message(kind, body, flags=2, seq=1):
    return struct.pack("=IHHII", 16 + len(body), kind, flags, seq, 4711) + body


def link(index, name, hardware, flags, address, mtu, lower=0, master=0, kind=None, data=b"", broadcast=None):
    body = struct.pack("=BxHiII", 0, hardware, index, flags, 0)
    body += attr(3, name.encode() + b"\0") + number(13, 1000) + attr(16, b"\6") + number(4, mtu)
    body += attr(1, address) + attr(2, broadcast or b"\xff" * len(address))
    if lower:
        body += number(5, lower)
    if master:
        body += number(10, master)
    if kind:
        body += attr(18, attr(1, kind.encode() + b"\0") + attr(2, data))
    return message(16, body)


def address(text, index, prefix):
    a = ipaddress.ip_address(text)
    body = struct.pack("=BBBBI", 2 if a.version == 4 else 10, prefix, 0x80, 0, index)
    body += attr(1, a.packed) + (attr(2, a.packed) if a.version == 4 else b"")
    return message(20, body)


def route(to, index, source, gateway=None, kind=1):
    a = ipaddress.ip_address(to)
    body = struct.pack("=BBBBBBBBI", 2 if a.version == 4 else 10, 8 * len(a.packed), 0, 0, 254, 0, 0, kind, 0x200)
    body += attr(1, a.packed) + number(4, index) + attr(7, ipaddress.ip_address(source).packed)
    if gateway:
        g = ipaddress.ip_address(gateway)
        body += attr(5, g.packed) if g.version == a.version else attr(18, struct.pack("=H", 2 if g.version == 4 else 10) + g.packed)
    return to, message(24, body, 0)


def write(directory, sysfs, links, addresses, routes):
    os.makedirs(directory, exist_ok=True)
    done = message(3, struct.pack("=i", 0))
    with open(directory + "/sysfs.txt", "w") as f:
        f.writelines("class/infiniband/%s %s\n" % line for line in sysfs)
    with open(directory + "/netlink.txt", "w") as f:
        half = len(links) // 2
        for part in (links[:half], links[half:], [done]):
            f.write("links %s\n" % b"".join(part).hex())
        for part in (addresses, [done]):
            f.write("addresses %s\n" % b"".join(part).hex())
        for to, body in routes:
            f.write("route %s %s\n" % (to, body.hex()))


def gid(text):
    return ipaddress.ip_address(text).exploded


def hca(name, gid0, state, pkeys=(0xFFFF, 0)):
    p = name + "/ports/1/"
    table = [(p + "pkeys/%d" % i, "0x%04x" % pkey) for i, pkey in enumerate(pkeys)]
    return [(name + "/node_type", "1: CA"), (p + "state", state), (p + "link_layer", "InfiniBand"), (p + "gids/0", gid0),
            (p + "gid_attrs/types/0", "IB/RoCE v1"), (p + "gids/1", gid("::"))] + table


def ipoib(qpn, gid0, connected=False):
    return bytes([0x80 if connected else 0]) + qpn.to_bytes(3, "big") + ipaddress.ip_address(gid0).packed


def everybody(pkey):
    return bytes.fromhex("00ffffffff12401b%04x000000000000ffffffff" % pkey)


def child(index, name, qpn, gid0, parent, pkey, connected=False):
    return link(index, name, INFINIBAND, ON, ipoib(qpn, gid0, connected), 65520 if connected else 2044, lower=parent, kind="ipoib",
                data=attr(1, struct.pack("=H", pkey)), broadcast=everybody(pkey))


LO = link(1, "lo", ARPHRD_LOOPBACK, UP | LOOPBACK | RUNNING | LOWER_UP, bytes(6), 65536)
ETH0 = link(2, "eth0", ETHER, ON, bytes.fromhex("3cecef000001"), 1500)


def infiniband(directory):
    one, two = gid("fe80::2:c903:f1:aaaa"), gid("fe80::2:c903:f1:bbbb")
    write(
        directory,
        hca("mlx5_0", one, "4: ACTIVE", (0xFFFF, 0, 0x8001, 0x0002)) + hca("mlx5_1", two, "2: INIT"),
        [
            LO, ETH0,
            child(3, "ib0", 0x48, one, 0, 0xFFFF),
            child(4, "ib1", 0x49, two, 0, 0xFFFF),
            child(5, "ib0.8001", 0x4A, one, 3, 0x8001, True),
            child(6, "ib9", 0x50, gid("fe80::2:c903:f1:cccc"), 0, 0xFFFF),
            child(7, "ib0.8002", 0x4B, one, 3, 0x8002),
            child(8, "ib0.8003", 0x4C, one, 3, 0x8003),
            link(9, "bond0", INFINIBAND, ON | MASTER, ipoib(0x4A, one), 2044, kind="bond", data=attr(1, b"\1"), broadcast=everybody(0x8001)),
        ],
        [
            address("127.0.0.1", 1, 8), address("192.168.0.1", 2, 24), address("10.1.0.1", 3, 24), address("2001:db8:1::1", 3, 64),
            address("10.2.0.1", 4, 24), address("10.81.0.1", 5, 24), address("10.9.0.1", 6, 24),
            address("10.82.0.1", 7, 24), address("10.83.0.1", 8, 24), address("10.50.0.1", 9, 24),
        ],
        [
            route("192.168.0.2", 2, "192.168.0.1"), route("10.1.0.2", 3, "10.1.0.1"), route("2001:db8:1::2", 3, "2001:db8:1::1"),
            route("10.2.0.2", 4, "10.2.0.1"), route("10.81.0.2", 5, "10.81.0.1"), route("10.9.0.2", 6, "10.9.0.1"),
            route("10.82.0.2", 7, "10.82.0.1"), route("10.83.0.2", 8, "10.83.0.1"), route("10.50.0.2", 9, "10.50.0.1"),
            route("10.7.0.1", 3, "10.1.0.1", "10.1.0.254"), route("10.8.0.1", 3, "10.1.0.1", "2001:db8:1::fe"),
            route("10.1.0.1", 1, "10.1.0.1", kind=2),
        ])


def roce_lag(directory):
    name = "mlx5_bond_0"
    p = name + "/ports/1/"
    sysfs = [(name + "/node_type", "1: CA"), (p + "state", "4: ACTIVE"), (p + "link_layer", "Ethernet")]
    table = [("fe80::3eec:efff:fe00:10", "bond0"), ("::ffff:10.60.0.1", "bond0"), ("fe80::3eec:efff:fe00:10", "bond0.200"),
             ("::ffff:10.200.0.1", "bond0.200"), ("2001:db8:200::1", "bond0.200")]
    for i in range(255):
        if i < 2 * len(table):
            sysfs += [(p + "gids/%d" % i, gid(table[i // 2][0])), (p + "gid_attrs/types/%d" % i, ["IB/RoCE v1", "RoCE v2"][i % 2]),
                      (p + "gid_attrs/ndevs/%d" % i, table[i // 2][1])]
        else:
            sysfs.append((p + "gids/%d" % i, gid("::")))
    mac = bytes.fromhex("3cecef000010")
    write(
        directory,
        sysfs,
        [
            LO, ETH0,
            link(3, "ens1f0np0", ETHER, ON | SLAVE, mac, 9000, master=5),
            link(4, "ens1f1np1", ETHER, ON | SLAVE, mac, 9000, master=5),
            link(5, "bond0", ETHER, ON | MASTER, mac, 9000, kind="bond", data=attr(1, b"\4")),
            link(6, "bond0.200", ETHER, ON, mac, 4200, lower=5, kind="vlan", data=attr(1, struct.pack("=H", 200)) + attr(2, bytes(8))),
            link(7, "bond0.300", ETHER, UP | BROADCAST, mac, 9000, lower=5, kind="vlan", data=attr(1, struct.pack("=H", 300))),
        ],
        [
            address("192.168.0.1", 2, 24), address("10.60.0.1", 5, 24), address("10.200.0.1", 6, 24), address("10.200.0.9", 6, 24),
            address("2001:db8:200::1", 6, 64), address("10.30.0.1", 7, 24),
        ],
        [
            route("192.168.0.2", 2, "192.168.0.1"), route("10.60.0.2", 5, "10.60.0.1"), route("10.200.0.2", 6, "10.200.0.1"),
            route("2001:db8:200::2", 6, "2001:db8:200::1"), route("10.200.0.77", 6, "10.200.0.9"), route("10.30.0.2", 7, "10.30.0.1"),
        ])


infiniband(os.path.join(sys.argv[1], "infiniband"))
roce_lag(os.path.join(sys.argv[1], "roce-lag"))

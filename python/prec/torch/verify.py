class Unverified(Exception):
    pass
def verify(step, graph, traced):
    raise Unverified("not yet")
